"""A fault at work."""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from fivenines.faults.settings import FaultSettings

if TYPE_CHECKING:
    from fivenines.servers.base import Server
    from fivenines.solutions.base import Solution
    from fivenines.solutions.settings import SolutionSettings

F = TypeVar("F", bound=FaultSettings)


@dataclass(frozen=True)
class Strike:
    """What a fault did: to which node in which role, when (CLOCK_MONOTONIC), and whether it took effect."""

    node: "Server"
    role: str
    monotonic_ns: int
    verified: bool
    detail: str


class Fault(ABC, Generic[F]):
    """Breaks something, verifies that it is broken, and says how it is mended."""

    settings_type: ClassVar[type[FaultSettings]]

    def __init__(self, settings: F) -> None:
        self.settings = settings

    @property
    def strikes(self) -> bool:
        """Whether anything is broken at all."""
        return True

    @abstractmethod
    def strike(self, solution: "Solution[SolutionSettings]") -> Strike:
        """Break it now."""

    @property
    @abstractmethod
    def mend_after(self) -> float | None:
        """Seconds from the strike until the node may be mended; None: never."""


def now() -> int:
    """CLOCK_MONOTONIC in nanoseconds, the clock of all records."""
    return time.monotonic_ns()
