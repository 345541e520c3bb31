"""Report the stalled time of the steady window and its causes."""

from collections.abc import Sequence

from fivenines.analysis.availability.stall_causes import UNKNOWN, Stall
from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import count, listed
from fivenines.report.groups import Names
from fivenines.report.table import Table, right

LEGEND = (
    "Stalled time: stalls of the steady window, before any fault, and periods of 300 ms or more with less"
    " than a tenth of the usual throughput. Causes come from the servers' logs and counters for that time; a"
    " cause is not known if these show nothing."
)
# A smaller share of the steady window gets no sentence; the table has it.
SHARE = 0.02

# Causes whose events are counted; other causes have only a duration.
_COUNTED = ("deadlock", "semi-sync time-out", "checkpoint")


def sentences(cells: Sequence[CellResult]) -> list[str]:
    """Return a sentence for each cell with notable stalled time: "4.1 of 5.0 s went to 4 deadlocks"."""
    texts = []
    for cell in cells:
        stalls = [stall for trial in cell.trials for stall in trial.lost_time]
        watched = sum(trial.throughput.seconds for trial in cell.trials if trial.throughput)
        lost = _seconds(stalls)
        if not stalls or lost < SHARE * watched:
            continue
        where = f"{cell.key.solution} ({cell.key.workload}, {count(cell.key.connections, 'connection')})"
        trials = f" of {count(len(cell.trials), 'trial')}" if len(cell.trials) > 1 else ""
        texts.append(
            f"{where}: {lost:.1f} of {watched:.1f} s of the steady window{trials} went to {_causes(stalls)}."
        )
    return texts


def table(cells: Sequence[CellResult], names: Names) -> Table:
    """Return a row for each cell and cause."""
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
    """Return "4 deadlocks"; with several causes, also the seconds of each."""
    causes = _by_cause(stalls)
    parts = [
        f"{_named(cause, own)}{'' if len(causes) == 1 else f' ({_seconds(own):.1f} s)'}"
        for cause, own in causes.items()
    ]
    return listed(parts)


def _named(cause: str, stalls: Sequence[Stall]) -> str:
    if cause == UNKNOWN:
        return f"{count(len(stalls), 'stall')} of unknown cause"
    if cause in _COUNTED:
        return count(sum(stall.events for stall in stalls), cause)
    return cause


def _by_cause(stalls: Sequence[Stall]) -> dict[str, list[Stall]]:
    """Group stalls by cause, the longest first, the unknown cause last."""
    groups: dict[str, list[Stall]] = {}
    for stall in stalls:
        groups.setdefault(stall.cause, []).append(stall)
    return dict(sorted(groups.items(), key=lambda item: (item[0] == UNKNOWN, -_seconds(item[1]))))


def _seconds(stalls: Sequence[Stall]) -> float:
    return sum(stall.gap.ms for stall in stalls) / 1000
