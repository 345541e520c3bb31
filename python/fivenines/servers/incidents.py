"""What a server's log tells of time that nobody got, and of what became of the others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Incident:
    """What a line tells: `unix_ms` when it was written, `ms` how long it had lasted by then."""

    unix_ms: float
    kind: str
    ms: float
    detail: str


IncidentReader = Callable[[Iterable[str]], Iterable[Incident]]
"""The incidents in lines of a log; all other lines are passed over."""


@dataclass(frozen=True)
class LogReader:
    """How to read a server's log.

    Attributes:
        read: finds the incidents in its lines.
        unseen: what its lines do not tell as the server is configured, and why; empty: nothing is missing.
    """

    read: IncidentReader
    unseen: str = ""
