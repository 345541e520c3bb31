"""The interface of a fault: inject, verify, recover."""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.servers.member import Member

F = TypeVar("F", bound=FaultSettings)


def now() -> int:
    """Return CLOCK_MONOTONIC in nanoseconds, the clock of all records."""
    return time.monotonic_ns()


@dataclass(frozen=True)
class Injection:
    """One injection: the affected hosts, their role, the time (CLOCK_MONOTONIC), and whether it took effect.

    `servers` must be members again when the fault is over. `state` is what the fault needs for its
    recovery. `lasts` (seconds) is set if only the injection determines the duration.
    `followed` means that another injection follows once the servers are members again, see `Fault.follow`.
    """

    hosts: tuple[str, ...]
    role: str
    monotonic_ns: int
    verified: bool
    detail: str
    servers: tuple[Member, ...] = ()
    state: Any = None
    lasts: float | None = None
    followed: bool = False


@dataclass(frozen=True)
class Recovery:
    """The end of a fault: when its cause was removed, and whether the removal was verified."""

    verified: bool = True
    detail: str = ""
    monotonic_ns: int = field(default_factory=now)


class Fault(ABC, Generic[F]):
    """Inject a fault and verify it; remove its cause and verify that."""

    settings_type: ClassVar[type[FaultSettings]]

    # Whether the fault stops servers. Recovery is then their restart, which waits for a new primary.
    stops_servers: ClassVar[bool] = False

    def __init__(self, settings: F) -> None:
        self.settings = settings

    @abstractmethod
    def inject(self, context: FaultContext) -> Injection:
        """Inject the fault now.

        Raises:
            FiveninesError: the injection failed; the message gives the reason.
        """

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        """Remove the cause now. Faults that only end processes have no cause to remove.

        Raises:
            FiveninesError: the cause could not be removed; the message gives the reason.
        """
        return Recovery()

    def follow(self, context: FaultContext, injection: Injection, away: str) -> Injection | None:
        """Make the next injection once the servers of the last one have recovered; None: there is no next.

        The record shows all injections of a fault as one. `away` is the reason why a server did not
        recover, or empty.

        Raises:
            FiveninesError: the remaining injections are skipped; the message gives the reason.
        """
        return None
