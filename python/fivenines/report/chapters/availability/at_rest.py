"""Failovers at rest, a part of the chapter `needless`: how often, under load before any fault."""

from collections import Counter
from collections.abc import Sequence

from fivenines.analysis.availability.at_rest import HOUR, Rest, hourly
from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import NOTHING, count, listed, number, span
from fivenines.report.table import Table, right

LEGEND = (
    " At rest: under load, from the end of the warm-up to the first fault, or to the end without one; after a"
    " failover at rest the rest of the trial does not count."
)


def at_rest(cells: Sequence[CellResult]) -> dict[str, list[Rest]]:
    """Return the times at rest of each solution, those with a failover first; empty ones are left out."""
    by_solution: dict[str, list[Rest]] = {}
    for cell in cells:
        known = [trial.rest for trial in cell.trials if trial.rest is not None]
        if known:
            by_solution.setdefault(cell.called, []).extend(known)
    return dict(sorted(by_solution.items(), key=lambda item: not _failed(item[1])))


def any_failover(by_solution: dict[str, list[Rest]]) -> bool:
    """Return whether a solution failed over at rest."""
    return any(map(_failed, by_solution.values()))


def rest_sentences(by_solution: dict[str, list[Rest]]) -> list[str]:
    """Return a sentence for each solution that failed over at rest."""
    return [
        f"{name}: {_in_words(rests)} at rest, in {_length(rests)} under load before any fault."
        for name, rests in by_solution.items()
        if _failed(rests)
    ]


def rest_table(by_solution: dict[str, list[Rest]]) -> Table:
    """Return a row for each solution: time, failovers, and their rate."""
    rows = []
    for name, rests in by_solution.items():
        low, high = hourly(rests)
        failovers = sum(rest.failover is not None for rest in rests)
        rate = span(low, high) if failovers else f"at most {number(high)}"
        rows.append([name, str(len(rests)), _length(rests), _in_words(rests) or NOTHING, rate])
    columns = ["Solution", "Trials", "Time at rest", "Failovers", "An hour, 95 % interval"]
    return Table("Failovers at rest", columns, rows, 1, right(columns, "Solution", "Failovers"))


def _failed(rests: Sequence[Rest]) -> bool:
    return any(rest.failover is not None for rest in rests)


def _in_words(rests: Sequence[Rest]) -> str:
    kinds = Counter(rest.failover for rest in rests if rest.failover is not None)
    if not kinds:
        return ""
    how = listed([f"{kind} in {times}" for kind, times in kinds.items()])
    return f"{count(sum(kinds.values()), 'failover')} ({how})"


def _length(rests: Sequence[Rest]) -> str:
    ms = sum(rest.ms for rest in rests)
    if ms >= HOUR:
        return f"{number(ms / HOUR)} h"
    return f"{number(ms / _MINUTE)} min" if ms >= 2 * _MINUTE else f"{number(ms / 1000)} s"


_MINUTE = HOUR / 60
