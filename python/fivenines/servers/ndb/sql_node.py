"""An SQL node: mysqld whose tables are in the data nodes.

Source: MySQL NDB Cluster 9 reference manual, "MySQL Server Options and Variables for NDB Cluster".
"""

import contextlib
from typing import Literal

from fivenines.base.drivers import pymysql
from fivenines.lab.host import Host
from fivenines.servers.base import APPLICATION, REPLICATION, Value
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.ndb.layout import Layout
from fivenines.servers.ndb.monitoring import SqlNodeMonitoring
from fivenines.servers.ndb.setup import SqlNodeSetup
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine

_READY = (
    "SELECT VARIABLE_VALUE FROM performance_schema.global_status "
    "WHERE VARIABLE_NAME = 'Ndb_number_of_ready_data_nodes'"
)


_EXECUTING = (
    "SELECT COUNT(*) FROM performance_schema.processlist "
    f"WHERE USER = '{APPLICATION}' AND COMMAND IN ('Query', 'Execute')"
)


class SqlNode(Mysql):
    """Its writes are in the data nodes when a commit is acknowledged; its own disk has none of them."""

    _setup: SqlNodeSetup
    monitoring: SqlNodeMonitoring

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host, engine, passwords)
        self._setup = SqlNodeSetup(self)
        self.monitoring = SqlNodeMonitoring(self)

    @property
    def setup(self) -> SqlNodeSetup:
        return self._setup

    @property
    def node_id(self) -> int:
        """Return its id in the cluster; 0: it is in no cluster."""
        return self.setup.node_id

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return no settings: data nodes write their redo log at global checkpoints."""
        return {}

    def join(self, layout: Layout, node_id: int) -> None:
        """Configure it as the SQL node with this id; effective at the next `configure`."""
        self.setup.connection, self.setup.node_id = layout.connection, node_id

    def start_without_cluster(self) -> None:
        """Run once without the cluster, so that a new data directory gets its database and accounts."""
        self.setup.configure_without_cluster()
        self.start()
        self.wait_ready()
        self.stop()

    def share_accounts(self) -> None:
        """Share the clients' accounts of this SQL node with all SQL nodes of the cluster.

        Source: manual, "Distributed Privileges Using NDB_STORED_USER".
        """
        for account in (APPLICATION, REPLICATION):
            self.sql.execute(f"GRANT NDB_STORED_USER ON *.* TO {account}@'%'")

    def arbitrator(self) -> int:
        """Return the id of the current arbitrator, according to the data nodes; 0: none."""
        rows = self.sql.query("SELECT arbitrator FROM ndbinfo.arbitrator_validity_summary")
        return int(rows[0][0]) if rows else 0

    def ready_data_nodes(self) -> int | None:
        """Return how many running data nodes it reaches; None if it does not answer."""
        with contextlib.suppress(pymysql.Error, OSError):
            return self._ready()
        return None

    def statements_of_clients(self) -> int:
        """Return the number of running client statements; a client may have given up waiting for one."""
        return int(self.sql.query(_EXECUTING)[0][0])

    def reads_rows(self) -> bool:
        """Return whether it can read a table in the data nodes: after an outage it first reconnects."""
        with contextlib.suppress(pymysql.Error, OSError):
            self.sql.query("SELECT count(*) FROM mysql.ndb_apply_status")
            return True
        return False

    def takes_writes(self) -> bool:
        return super().takes_writes() and self._ready() > 0

    def _ready(self) -> int:
        return sum(int(row[0]) for row in self.sql.query(_READY))
