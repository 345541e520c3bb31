"""Operations of a failover manager on servers over the network: check, compare, promote, repoint."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

Address = tuple[str, int]


class ServerFullError(Exception):
    """The server refuses a new client because it has as many as it permits: it runs."""


class Control(ABC):
    """Operations for one kind of server.

    Args:
        timeout: of every connection, in seconds.
        password: of the account of replication and of the manager.
        facts: facts of the solution for this kind of server.
    """

    def __init__(self, timeout: float, password: str, facts: Mapping[str, Any] | None = None) -> None:
        self.timeout = timeout
        self.password = password
        self.facts = facts or {}

    @abstractmethod
    def check(self, address: Address) -> str:
        """Return why this is not a working primary; empty if it is.

        Raises:
            ServerFullError: the server said so, and whether it is a primary is not known.
        """

    @abstractmethod
    def position(self, address: Address) -> int | None:
        """Return the log position of a replica; None if it does not answer."""

    @abstractmethod
    def uptime(self, address: Address) -> float | None:
        """Return for how many seconds a server has been running at most; None if it does not answer."""

    @abstractmethod
    def promote(self, address: Address, others: Sequence[str]) -> None:
        """Make a replica primary, after it has applied all that it has.

        Args:
            others: the replicas that its commits wait for, if they wait for any.
        """

    @abstractmethod
    def repoint(self, address: Address, name: str, primary: Address) -> None:
        """Make a replica follow another primary."""

    @abstractmethod
    def demote(self, address: Address) -> int | None:
        """Make the primary read-only and return its last position. None: its server must be stopped."""

    @abstractmethod
    def undo_demote(self, address: Address) -> None:
        """Make a demoted primary writable again, as no replica could succeed it."""

    @abstractmethod
    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        """Make a running, demoted primary follow its successor."""
