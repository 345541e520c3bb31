"""Error of times that are compared between machines."""

from collections.abc import Iterable

from fivenines.results.basics import ClockRecord
from fivenines.results.records import TrialRecord


def error_ms(records: Iterable[TrialRecord]) -> float | None:
    """Return the largest error of a time between events on two hosts, in ms.

    It is the sum of the two largest clock errors of a trial, over all trials. None: all hosts share a clock.
    """
    worst = [
        sum(sorted((clock.error_ms for clock in record.clocks.values()), reverse=True)[:2])
        for record in records
        if record.clocks
    ]
    return max(worst, default=None)


def by_machine(records: Iterable[TrialRecord]) -> dict[str, list[ClockRecord]]:
    """Return the clock records of all trials by machine."""
    result: dict[str, list[ClockRecord]] = {}
    for record in records:
        for clock in record.clocks.values():
            result.setdefault(clock.machine, []).append(clock)
    return dict(sorted(result.items()))
