"""Events of a failover manager: missed, decided, demoted, fenced, promoted, repointed, failed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ManagerEvent:
    """One event; `monotonic_ns` is CLOCK_MONOTONIC, the clock of all records."""

    monotonic_ns: int
    kind: str
    node: str = ""
    detail: str = ""
