"""Stalled time of the steady window, and what it went to: beside the throughput, which it explains."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.stall_causes import UNKNOWN, Stall
from fivenines.analysis.wording import count, listed
from fivenines.report.groups import Names
from fivenines.report.table import Table, right

LEGEND = (
    "Stalled time: stalls of the steady window, before any fault, and times of 300 ms or more in which less"
    " than a tenth of the usual throughput got through. The cause is what servers say of that time, in their"
    " logs and counters; not known where they say nothing."
)
SHARE = 0.02
"""Less of the steady window than this is not worth a sentence; the table has it."""

_COUNTED = ("deadlock", "semi-sync time-out", "checkpoint")
"""Causes that are counted; all others are lengths of time only."""


def sentences(cells: Sequence[CellResult]) -> list[str]:
    """One for each cell that lost time worth telling: "4.1 of 5.0 s went to 4 deadlocks"."""
    found = []
    for cell in cells:
        stalls = [stall for trial in cell.trials for stall in trial.lost_time]
        watched = sum(trial.throughput.seconds for trial in cell.trials if trial.throughput)
        lost = _seconds(stalls)
        if not stalls or lost < SHARE * watched:
            continue
        where = f"{cell.key.solution} ({cell.key.workload}, {count(cell.key.connections, 'connection')})"
        trials = f" of {count(len(cell.trials), 'trial')}" if len(cell.trials) > 1 else ""
        found.append(
            f"{where}: {lost:.1f} of {watched:.1f} s of the steady window{trials} went to {_causes(stalls)}."
        )
    return found


def table(cells: Sequence[CellResult], names: Names) -> Table:
    """A row for each cell and cause."""
    rows = []
    for cell in cells:
        watched = sum(trial.throughput.seconds for trial in cell.trials if trial.throughput)
        for cause, stalls in _by_cause([s for trial in cell.trials for s in trial.lost_time]).items():
            events = sum(stall.events for stall in stalls)
            longest = max(stall.gap.ms for stall in stalls) / 1000
            rows.append(
                [
                    names.full(cell.key),
                    cause,
                    str(len(stalls)),
                    str(events) if events else "",
                    f"{_seconds(stalls):.1f} of {watched:.1f}",
                    f"{longest:.1f}",
                ]
            )
    columns = ["Cell", "Cause", "Times", "Events", "Seconds", "Longest, s"]
    return Table("Stalled time of the steady window", columns, rows, 2, right(columns, "Cell", "Cause"))


def _causes(stalls: Sequence[Stall]) -> str:
    """ "4 deadlocks", or with the seconds of each where there are several causes."""
    causes = _by_cause(stalls)
    parts = [
        f"{_named(cause, found)}{'' if len(causes) == 1 else f' ({_seconds(found):.1f} s)'}"
        for cause, found in causes.items()
    ]
    return listed(parts)


def _named(cause: str, stalls: Sequence[Stall]) -> str:
    if cause == UNKNOWN:
        return f"{count(len(stalls), 'stall')} of unknown cause"
    if cause in _COUNTED:
        return count(sum(stall.events for stall in stalls), cause)
    return cause


def _by_cause(stalls: Sequence[Stall]) -> dict[str, list[Stall]]:
    """The stalls of each cause, the most seconds first, what is not known last."""
    found: dict[str, list[Stall]] = {}
    for stall in stalls:
        found.setdefault(stall.cause, []).append(stall)
    return dict(sorted(found.items(), key=lambda item: (item[0] == UNKNOWN, -_seconds(item[1]))))


def _seconds(stalls: Sequence[Stall]) -> float:
    return sum(stall.gap.ms for stall in stalls) / 1000
