"""An SQL node: mysqld that keeps its tables in the data nodes.

Source: MySQL NDB Cluster 9 reference manual, "MySQL Server Options and Variables for NDB Cluster".
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from fivenines.drivers import pymysql
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


_APART: dict[str, Value] = {"ndbcluster": False, "default_storage_engine": "InnoDB"}
"""Without the cluster."""


class SqlNode(Mysql):
    """What it writes is in the data nodes when a commit is answered; nothing of it is on its own disk."""

    defaults: ClassVar[dict[str, Value]] = {
        **{name: value for name, value in Mysql.defaults.items() if name != "mysqlx"},
        # some builds have none
        "loose-mysqlx": False,
        "ndbcluster": True,
        # what a workload creates without naming an engine lies in the data nodes
        "default_storage_engine": "ndbcluster",
        "disable-log-bin": True,
        "ndb_wait_connected": 60,
        "ndb_wait_setup": 60,
        "innodb_buffer_pool_size": "32M",
    }

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host, engine, passwords)
        self.node_id = 0
        """Its id in the cluster; 0: it is in none."""
        self.data_nodes: Mapping[int, str] = {}
        """The names of the data nodes by their ids."""
        self._connection = ""

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Nothing of it is the SQL node's: data nodes write their redo log at global checkpoints."""
        return {}

    def join(self, layout: Layout, node_id: int) -> None:
        """Be the SQL node with this id, from its next configuration on."""
        self._connection, self.node_id = layout.connection, node_id

    def configure(self, settings: Mapping[str, Value]) -> None:
        own: dict[str, Value] = {"ndb-connectstring": self._connection, "ndb-nodeid": self.node_id}
        # an archive may lie anywhere
        super().configure({**self.engine.next_to_server(), **own, **settings})

    def counters(self) -> CounterReader:
        return counters.read

    def counters_alongside(self) -> SideReader | None:
        def read(asked: Session) -> Iterator[tuple[str, str, float]]:
            for number, name, value in counters.read_data_nodes(asked):
                if number in self.data_nodes:
                    yield self.data_nodes[number], name, value

        return read

    def start_apart(self) -> None:
        """Run once without the cluster, so that a new data directory gets its database and accounts."""
        super().configure({**self.engine.next_to_server(), **self.unsafe_settings, **_APART})
        self.start()
        self.wait_ready()
        self.stop()

    def share_accounts(self) -> None:
        """Let all SQL nodes of the cluster have the accounts of clients as this one has them.

        Source: manual, "Distributed Privileges Using NDB_STORED_USER".
        """
        for account in (APPLICATION, REPLICATION):
            self.execute(f"GRANT NDB_STORED_USER ON *.* TO {account}@'%'")

    def arbitrator(self) -> int:
        """The id of the node that arbitrates now, as data nodes tell it; 0: none does."""
        rows = self.query("SELECT arbitrator FROM ndbinfo.arbitrator_validity_summary")
        return int(rows[0][0]) if rows else 0

    def ready_data_nodes(self) -> int:
        """How many data nodes it reaches that are up; 0 also when it does not answer."""
        with contextlib.suppress(pymysql.Error, OSError):
            return sum(int(row[0]) for row in self.query(_READY))
        return 0

    def statements_of_clients(self) -> int:
        """How many it executes now; a client may have given up on one, a procedure over a slow line, say."""
        return int(self.query(_EXECUTING)[0][0])

    def reads_rows(self) -> bool:
        """Whether a table in the data nodes can be read: after a while without them it sets all up anew."""
        with contextlib.suppress(pymysql.Error, OSError):
            self.query("SELECT count(*) FROM mysql.ndb_apply_status")
            return True
        return False

    def writable(self) -> bool:
        return super().writable() and self.ready_data_nodes() > 0
