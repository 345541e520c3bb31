"""Stall replicas of a cluster: a node with a global read lock applies nothing."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

from fivenines.base.drivers import pymysql
from fivenines.servers.cluster.aspect import N
from fivenines.servers.cluster.switchover import Stalling

if TYPE_CHECKING:
    from fivenines.servers.cluster.cluster import Cluster

# Seconds that a connection with a lock may be idle.
_STALLED = 3600.0

_LOCK = "FLUSH TABLES WITH READ LOCK"


class ReadLocks(Stalling[N]):
    """The global read locks of fivenines, each on a separate connection."""

    def __init__(self, cluster: "Cluster[N]") -> None:
        super().__init__(cluster)
        self._locks: dict[str, ExitStack] = {}

    def stall(self, node: N) -> str:
        lock = ExitStack()
        connection = lock.enter_context(node.sql.connect(_STALLED))
        self._locks[node.name] = lock
        with connection.cursor() as cursor:
            cursor.execute(_LOCK)
        return _LOCK

    def unstall(self, node: N) -> str:
        """Unlock a node by closing the connection; return why that failed, or an empty string."""
        try:
            self._locks.pop(node.name).close()
        except pymysql.Error as error:
            return f"the lock was lost before: {error}"
        return ""
