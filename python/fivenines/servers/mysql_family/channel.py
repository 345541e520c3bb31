"""Replication from one cluster to another: from a server that logs all changes to one that applies them.

The packages of NDB Cluster and Galera contain their differences.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from fivenines.servers.base import Value, inside
from fivenines.servers.mysql_family.server import MysqlFamily

N = TypeVar("N", bound=MysqlFamily)


@dataclass(frozen=True)
class Numbers:
    """Numbers that distinguish the servers of two clusters.

    Attributes:
        cluster: 1 or 2.
        server: number of the server among those of both clusters, from 1.
        servers: number of servers of both clusters.
    """

    cluster: int
    server: int
    servers: int


class Channel(ABC, Generic[N]):
    """Operations for one kind of server; statements are lists, to be run one after another.

    A place is a position in a source's log, in the source's own format: it is not valid elsewhere.
    """

    # Columns with its received and applied positions.
    positions: ClassVar[tuple[str, str]]

    # Columns that show whether it receives and applies.
    threads: ClassVar[tuple[str, str]]

    # Statements after which a server applies nothing more, and follows no source.
    stop: ClassVar[tuple[str, ...]]

    # Statement after which it applies what it has, and receives nothing more.
    stop_receiving: ClassVar[str]

    @abstractmethod
    def settings(self, numbers: Numbers, detects: bool) -> dict[str, Value]:
        """Return settings of a source and applier; `detects`: whether it detects conflicts."""

    @abstractmethod
    def end(self, source: N) -> str:
        """Return the place where a server's log ends now."""

    @abstractmethod
    def applied(self, of: int, servers: Sequence[N], numbers: Sequence[int]) -> str:
        """Return how far these servers have applied the other cluster's changes; empty: nothing yet.

        Args:
            of: the number of the other cluster.
            servers: of the cluster that applies; one of them is queried.
            numbers: of the servers of the other cluster.
        """

    @abstractmethod
    def after(self, source: N, mark: str, was_down: bool) -> str:
        """Return the place in a server's log after what has been applied elsewhere; empty: unknown.

        Args:
            source: the server of the log.
            mark: see `applied`.
            was_down: whether it was down since the channels began.
        """

    @abstractmethod
    def follow(self, source: N, of: int, place: str, password: str) -> list[str]:
        """Return statements that make a server apply the log of `source` from a place on."""

    @abstractmethod
    def behind(self, of: int, sources: Sequence[N], source: N, applier: N) -> str:
        """Return what an applier still has to apply, in words; empty: nothing.

        Args:
            of: the number of the cluster.
            sources: its servers.
            source: the server that is followed.
            applier: the server that follows.
        """

    def trouble(self, status: Mapping[str, Any]) -> str:
        """Return why an applier with this status does not continue by itself; empty: it does, or will."""
        if not status:
            return "it follows no source"
        if error := status["Last_SQL_Error"]:
            return str(error)
        if status[self.threads[0]] == "No":
            return str(status["Last_IO_Error"] or "it does not receive")
        return "" if status[self.threads[1]] == "Yes" else "it does not apply"

    def unapplied(self, applier: N) -> str:
        """Return what an applier that receives nothing more has not applied yet, in words; empty: nothing."""
        status = applier.sql.replica_status()
        received, applied = (status.get(column, "") for column in self.positions)
        return "" if received == applied else f"{applier.name} has applied up to {applied} of {received}"


# Every server logs, as any may become the source.
LOGGING: dict[str, Value] = {
    "log_bin": inside("data", "binlog"),
    "relay_log": inside("data", "relay"),
    "relay_log_recovery": True,
}
