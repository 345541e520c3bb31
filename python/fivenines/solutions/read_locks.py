"""A node that applies nothing, as it is locked for writing: how replicas of a cluster are stalled."""

from contextlib import ExitStack

from fivenines.drivers import pymysql
from fivenines.servers.base import Server

_STALLED = 3600.0
"""Seconds that a connection which holds a lock may be silent."""

LOCK = "FLUSH TABLES WITH READ LOCK"


class ReadLocks:
    """The global read locks that we hold, each by a connection of its own."""

    def __init__(self) -> None:
        self._held: dict[str, ExitStack] = {}

    def take(self, node: Server) -> None:
        """Lock a node: from now on it applies nothing."""
        held = ExitStack()
        connection = held.enter_context(node.connect(_STALLED))
        self._held[node.name] = held
        with connection.cursor() as cursor:
            cursor.execute(LOCK)

    def give_back(self, node: Server) -> str:
        """Unlock a node, by the end of the connection; why that went wrong, empty if it did not."""
        try:
            self._held.pop(node.name).close()
        except pymysql.Error as error:
            return f"the lock was lost before: {error}"
        return ""
