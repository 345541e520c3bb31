"""How the changes of one cluster reach another: from a server that logs them all to one that applies them.

What NDB Cluster and Galera do apart stands in their packages.
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
    """What tells the servers of two clusters apart.

    Attributes:
        cluster: 1 or 2.
        server: of the server among those of both clusters, from 1.
        servers: how many there are.
    """

    cluster: int
    server: int
    servers: int


class Channel(ABC, Generic[N]):
    """One kind of servers; statements are lists, to be run one after another.

    A place is where a source's log is to be read from, in the source's own words: it means nothing elsewhere.
    """

    positions: ClassVar[tuple[str, str]]
    """The columns that say how far it has received and applied."""

    threads: ClassVar[tuple[str, str]]
    """The columns that say whether it receives and applies."""

    stop: ClassVar[tuple[str, ...]]
    """Statements after which a server applies nothing any more, and has forgotten whom it followed."""

    stop_receiving: ClassVar[str]
    """The statement after which it applies what it has, and receives nothing more."""

    @abstractmethod
    def settings(self, numbers: Numbers, detects: bool) -> dict[str, Value]:
        """Settings of a server that may be a source and an applier; `detects`: conflicts."""

    @abstractmethod
    def end(self, source: N) -> str:
        """The place where a server's log ends now."""

    @abstractmethod
    def applied(self, of: int, servers: Sequence[N], numbers: Sequence[int]) -> str:
        """How far these servers have applied what the cluster of this number wrote; empty: nothing yet.

        Args:
            of: the number of the other cluster.
            servers: of the cluster that applies; one of them is asked.
            numbers: of the servers of the other cluster.
        """

    @abstractmethod
    def after(self, source: N, mark: str, was_away: bool) -> str:
        """The place in a server's log after what has been applied elsewhere; empty: it does not say.

        Args:
            source: whose log.
            mark: see `applied`.
            was_away: whether it was down since the channels began.
        """

    @abstractmethod
    def follow(self, source: N, of: int, place: str, password: str) -> list[str]:
        """Statements that let a server apply what this one logs of the cluster `of`, from a place on."""

    @abstractmethod
    def behind(self, of: int, sources: Sequence[N], source: N, applier: N) -> str:
        """What an applier still has to apply, in words; empty: it has all that the cluster has committed.

        Args:
            of: the number of the cluster.
            sources: its servers.
            source: the one that is followed.
            applier: who follows.
        """

    def trouble(self, status: Mapping[str, Any]) -> str:
        """Why an applier with this SHOW REPLICA STATUS does not go on by itself; empty: it does, or will."""
        if not status:
            return "it follows nobody"
        if error := status["Last_SQL_Error"]:
            return str(error)
        if status[self.threads[0]] == "No":
            return str(status["Last_IO_Error"] or "it does not receive")
        return "" if status[self.threads[1]] == "Yes" else "it does not apply"

    def unapplied(self, applier: N) -> str:
        """What an applier that receives nothing more has not applied yet, in words; empty: nothing."""
        status = applier.replica_status()
        received, applied = (status.get(column, "") for column in self.positions)
        return "" if received == applied else f"{applier.name} has applied up to {applied} of {received}"


LOGGING: dict[str, Value] = {
    "log_bin": inside("data", "binlog"),
    "relay_log": inside("data", "relay"),
    "relay_log_recovery": True,
}
"""Every server logs: any may become the source."""
