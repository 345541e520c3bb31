"""An SQL node: mysqld whose tables are in the data nodes.

Source: MySQL NDB Cluster 9 reference manual, "MySQL Server Options and Variables for NDB Cluster".
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from fivenines.base.drivers import pymysql
from fivenines.lab.host import Host
from fivenines.servers.base import APPLICATION, REPLICATION, Value
from fivenines.servers.counters import CounterReader, SideReader
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.ndb import counters
from fivenines.servers.ndb.layout import Layout
from fivenines.servers.secrets import Passwords
from fivenines.servers.session import Session
from fivenines.software.base import Engine

_READY = (
    "SELECT VARIABLE_VALUE FROM performance_schema.global_status "
    "WHERE VARIABLE_NAME = 'Ndb_number_of_ready_data_nodes'"
)


_EXECUTING = (
    "SELECT COUNT(*) FROM performance_schema.processlist "
    f"WHERE USER = '{APPLICATION}' AND COMMAND IN ('Query', 'Execute')"
)


# Options for a start without the cluster.
_WITHOUT_CLUSTER: dict[str, Value] = {"ndbcluster": False, "default_storage_engine": "InnoDB"}


class SqlNode(Mysql):
    """Its writes are in the data nodes when a commit is acknowledged; its own disk has none of them."""

    defaults: ClassVar[dict[str, Value]] = {
        **{name: value for name, value in Mysql.defaults.items() if name != "mysqlx"},
        # Some builds lack it.
        "loose-mysqlx": False,
        "ndbcluster": True,
        # Tables that a workload creates without an engine are in the data nodes.
        "default_storage_engine": "ndbcluster",
        "disable-log-bin": True,
        "ndb_wait_connected": 60,
        "ndb_wait_setup": 60,
        "innodb_buffer_pool_size": "32M",
    }

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host, engine, passwords)
        # Its id in the cluster; 0: it is in no cluster.
        self.node_id = 0
        # The names of the data nodes by id.
        self.data_nodes: Mapping[int, str] = {}
        self._connection = ""

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return no settings: data nodes write their redo log at global checkpoints."""
        return {}

    def join(self, layout: Layout, node_id: int) -> None:
        """Configure it as the SQL node with this id; effective at the next `configure`."""
        self._connection, self.node_id = layout.connection, node_id

    def configure(self, settings: Mapping[str, Value]) -> None:
        own: dict[str, Value] = {"ndb-connectstring": self._connection, "ndb-nodeid": self.node_id}
        # An archive may be in any folder.
        super().configure({**self.engine.next_to_server(), **own, **settings})

    def counters(self) -> CounterReader:
        return counters.read

    def counters_alongside(self) -> SideReader | None:
        def read(session: Session) -> Iterator[tuple[str, str, float]]:
            for number, name, value in counters.read_data_nodes(session):
                if number in self.data_nodes:
                    yield self.data_nodes[number], name, value

        return read

    def start_without_cluster(self) -> None:
        """Run once without the cluster, so that a new data directory gets its database and accounts."""
        super().configure({**self.engine.next_to_server(), **self.unsafe_settings, **_WITHOUT_CLUSTER})
        self.start()
        self.wait_ready()
        self.stop()

    def share_accounts(self) -> None:
        """Share the clients' accounts of this SQL node with all SQL nodes of the cluster.

        Source: manual, "Distributed Privileges Using NDB_STORED_USER".
        """
        for account in (APPLICATION, REPLICATION):
            self.execute(f"GRANT NDB_STORED_USER ON *.* TO {account}@'%'")

    def arbitrator(self) -> int:
        """Return the id of the current arbitrator, according to the data nodes; 0: none."""
        rows = self.query("SELECT arbitrator FROM ndbinfo.arbitrator_validity_summary")
        return int(rows[0][0]) if rows else 0

    def ready_data_nodes(self) -> int:
        """Return how many running data nodes it reaches; 0 also if it does not answer."""
        with contextlib.suppress(pymysql.Error, OSError):
            return sum(int(row[0]) for row in self.query(_READY))
        return 0

    def statements_of_clients(self) -> int:
        """Return the number of running client statements; a client may have given up waiting for one."""
        return int(self.query(_EXECUTING)[0][0])

    def reads_rows(self) -> bool:
        """Return whether it can read a table in the data nodes: after an outage it first reconnects."""
        with contextlib.suppress(pymysql.Error, OSError):
            self.query("SELECT count(*) FROM mysql.ndb_apply_status")
            return True
        return False

    def writable(self) -> bool:
        return super().writable() and self.ready_data_nodes() > 0
