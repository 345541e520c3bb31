"""The configuration of an SQL node."""

from collections.abc import Mapping
from typing import ClassVar

from fivenines.servers.base import Value
from fivenines.servers.mysql.setup import MysqlSetup

# Options for a start without the cluster.
_WITHOUT_CLUSTER: dict[str, Value] = {"ndbcluster": False, "default_storage_engine": "InnoDB"}


class SqlNodeSetup(MysqlSetup):
    """A MySQL server that connects to the data nodes."""

    defaults: ClassVar[dict[str, Value]] = {
        **{name: value for name, value in MysqlSetup.defaults.items() if name != "mysqlx"},
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

    # Its place in the cluster, set before `configure`.
    connection = ""
    node_id = 0

    def configure(self, settings: Mapping[str, Value]) -> None:
        own: dict[str, Value] = {"ndb-connectstring": self.connection, "ndb-nodeid": self.node_id}
        # An archive may be in any folder.
        super().configure({**self._server.engine.next_to_server(), **own, **settings})

    def configure_without_cluster(self) -> None:
        """Configure one start without the cluster, in which nothing is safe from a crash."""
        unsafe = self._server.unsafe_settings
        super().configure({**self._server.engine.next_to_server(), **unsafe, **_WITHOUT_CLUSTER})
