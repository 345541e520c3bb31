"""A fault at work."""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.servers.member import Member

F = TypeVar("F", bound=FaultSettings)


def now() -> int:
    """CLOCK_MONOTONIC in nanoseconds, the clock of all records."""
    return time.monotonic_ns()


@dataclass(frozen=True)
class Injection:
    """What a fault did: to which hosts in which role, when (CLOCK_MONOTONIC), and whether it took effect.

    `servers` are those that must be members again when it is over; `held` is what the fault itself
    needs to end it. `lasts` (seconds) is set where only the injection showed how long it lasts.
    `followed` says that more is to come once its servers are members again, see `Fault.follow`.
    """

    hosts: tuple[str, ...]
    role: str
    monotonic_ns: int
    verified: bool
    detail: str
    servers: tuple[Member, ...] = ()
    held: Any = None
    lasts: float | None = None
    followed: bool = False


@dataclass(frozen=True)
class Recovery:
    """How a fault ended: when its cause was gone, and whether that was seen."""

    verified: bool = True
    detail: str = ""
    monotonic_ns: int = field(default_factory=now)


class Fault(ABC, Generic[F]):
    """Breaks something, verifies that it is broken; ends it, verifies that it has ended."""

    settings_type: ClassVar[type[FaultSettings]]

    downs: ClassVar[bool] = False
    """Whether servers end by it, so that its end is their restart, which waits for a successor."""

    def __init__(self, settings: F) -> None:
        self.settings = settings

    @abstractmethod
    def inject(self, context: FaultContext) -> Injection:
        """Break it now.

        Raises:
            FiveninesError: it could not be broken; says why.
        """

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        """Take the cause away now. A fault that only ends processes has nothing to take away.

        Raises:
            FiveninesError: it could not be ended; says why.
        """
        return Recovery()

    def follow(self, context: FaultContext, injection: Injection, away: str) -> Injection | None:
        """Do what comes next, once the servers of an injection are back; None: that was all of it.

        All injections of a fault are one in its record. `away` says why a server did not come back.

        Raises:
            FiveninesError: more was to come, and does not; says why.
        """
        return None
