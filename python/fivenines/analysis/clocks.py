"""What clocks of several machines do to moments that are compared."""

from collections.abc import Iterable

from fivenines.results.basics import ClockRecord
from fivenines.results.records import TrialRecord


def error_ms(records: Iterable[TrialRecord]) -> float | None:
    """By how much the time between two moments on different hosts may be wrong, in any of these trials: the
    two largest errors of a trial together. None: all hosts had one clock.
    """
    worst = [
        sum(sorted((clock.error_ms for clock in record.clocks.values()), reverse=True)[:2])
        for record in records
        if record.clocks
    ]
    return max(worst, default=None)


def by_machine(records: Iterable[TrialRecord]) -> dict[str, list[ClockRecord]]:
    """Return what was learnt of each machine's clocks, over trials."""
    result: dict[str, list[ClockRecord]] = {}
    for record in records:
        for clock in record.clocks.values():
            result.setdefault(clock.machine, []).append(clock)
    return dict(sorted(result.items()))
