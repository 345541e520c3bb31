"""Incidents in a server's log: time lost without service, and other relevant events."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Incident:
    """An incident; `unix_ms`: time of the log line, `ms`: its duration until then."""

    unix_ms: float
    kind: str
    ms: float
    detail: str


# Yields the incidents in lines of a log, and skips all other lines.
IncidentReader = Callable[[Iterable[str]], Iterable[Incident]]


@dataclass(frozen=True)
class LogReader:
    """A reader of a server's log.

    Attributes:
        read: yields the incidents in its lines.
        unseen: what the log omits in this configuration, and why; empty: nothing is missing.
    """

    read: IncidentReader
    unseen: str = ""
