"""Stall replicas of a cluster: a node with a global read lock applies nothing."""

from contextlib import ExitStack

from fivenines.base.drivers import pymysql
from fivenines.servers.base import Server

# Seconds that a connection with a lock may be idle.
_STALLED = 3600.0

LOCK = "FLUSH TABLES WITH READ LOCK"


class ReadLocks:
    """The global read locks of fivenines, each on a separate connection."""

    def __init__(self) -> None:
        self._locks: dict[str, ExitStack] = {}

    def take(self, node: Server) -> None:
        """Lock a node: from now on it applies nothing."""
        lock = ExitStack()
        connection = lock.enter_context(node.sql.connect(_STALLED))
        self._locks[node.name] = lock
        with connection.cursor() as cursor:
            cursor.execute(LOCK)

    def give_back(self, node: Server) -> str:
        """Unlock a node by closing the connection; return why that failed, or an empty string."""
        try:
            self._locks.pop(node.name).close()
        except pymysql.Error as error:
            return f"the lock was lost before: {error}"
        return ""
