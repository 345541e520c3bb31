"""What a failover manager does to servers over the network: check, compare, promote, repoint."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

Address = tuple[str, int]


class Control(ABC):
    """For one kind of server.

    Args:
        timeout: bounds every connection, in seconds.
        password: of the account of replication and of the manager.
        facts: what the solution says of its servers, for this kind.
    """

    def __init__(self, timeout: float, password: str, facts: Mapping[str, Any] | None = None) -> None:
        self.timeout = timeout
        self.password = password
        self.facts = facts or {}

    @abstractmethod
    def check(self, address: Address) -> str:
        """Why this is not a working primary; empty when it is one."""

    @abstractmethod
    def position(self, address: Address) -> int | None:
        """How much of the log a replica has; None when it does not answer."""

    @abstractmethod
    def promote(self, address: Address, others: Sequence[str]) -> None:
        """Make a replica primary, after it has applied all that it has.

        `others` are the replicas that it must wait for, if it waits for any.
        """

    @abstractmethod
    def repoint(self, address: Address, name: str, primary: Address) -> None:
        """Let a replica follow another primary."""

    @abstractmethod
    def demote(self, address: Address) -> int | None:
        """Let the primary take no more writes; its last position. None: its server must be stopped."""

    @abstractmethod
    def undo_demote(self, address: Address) -> None:
        """Let a demoted primary take writes again, as nobody could succeed it."""

    @abstractmethod
    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        """Let a demoted primary, which still runs, follow its successor."""
