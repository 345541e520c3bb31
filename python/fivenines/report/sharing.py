"""Who else used the machine while cells were measured: a caution where it matters, a table in any case."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.machine import Sharing
from fivenines.analysis.wording import NOTHING, count, listed, milliseconds, percent
from fivenines.report.groups import Names, by_solution
from fivenines.report.table import Table, right

_NAMED = 3
"""So many of the others are named, the largest first."""

LEGEND = (
    "On one machine the load generator waits for processors that the servers under test use: that is"
    " expected, and no caution is given for it. The last column says what it is worth: 99 % of the response"
    " times contain at most so much of the load generator's own wait."
)


def cautions(cells: Sequence[CellResult]) -> list[str]:
    """A sentence for each solution whose figures others changed, with how much at most."""
    found = []
    for solution, members in by_solution(cells).items():
        trials = [
            (cell.key.connections, trial.sharing, trial.schedule is None or not trial.schedule.open)
            for cell in members
            for trial in cell.trials
            if trial.sharing and trial.sharing.disturbed
        ]
        if trials:
            total = sum(len(cell.trials) for cell in members)
            _, worst, closed = max(trials, key=lambda one: one[1].taken)
            every = [shared for _, shared, _ in trials]
            of = f"{len(trials)} of {count(total, 'trial')}"
            found.append(
                f"Others used the machine while {solution} was measured ({of}):"
                f" {_taken(worst)}{_effect(worst, every, closed=closed)}."
            )
    return found


def caution_in_short(cells: Sequence[CellResult]) -> list[str]:
    """One sentence for all solutions together; [] where nobody changed the figures."""
    found = {
        solution: shared
        for solution, members in by_solution(cells).items()
        if (
            shared := [
                trial.sharing
                for cell in members
                for trial in cell.trials
                if trial.sharing and trial.sharing.disturbed
            ]
        )
    }
    if not found:
        return []
    worst = max((one for some in found.values() for one in some), key=lambda one: one.taken)
    every = len(found) == len(by_solution(cells)) and len(found) > 1
    who = "every solution was" if every else f"{listed(list(found))} {'was' if len(found) < 2 else 'were'}"
    taken = f"up to {worst.taken:.1f} of {round(worst.cores)} cores"
    return [f"Others used {taken} of the machine while {who} measured."]


def table(cells: Sequence[CellResult], names: Names) -> Table:
    """The cores of each cell's steady window by whose they were, as means of its trials."""
    rows = []
    for cell in cells:
        shared = [trial.sharing for trial in cell.trials if trial.sharing]
        if not shared:
            continue
        waits = [one.waited.p99 for one in shared if one.waited]
        rows.append(
            [
                names.full(cell.key),
                str(round(shared[0].cores)),
                *(f"{sum(map(get, shared)) / len(shared):.2f}" for get in _COLUMNS.values()),
                "; ".join(_names(shared)) or NOTHING,
                milliseconds(max(waits)) if waits else NOTHING,
            ]
        )
    columns = ["Cell", "Cores", *_COLUMNS, "The largest others", "Wait within 99 % of responses"]
    numeric = right(columns, "Cell", "The largest others")
    caption = f"Who used the processors in the steady window, in cores. {LEGEND}"
    return Table(caption, columns, rows, 1, numeric)


_COLUMNS = {
    "Lab": lambda one: one.lab,
    "Others": lambda one: one.others,
    "Stolen": lambda one: one.steal,
    "Idle": lambda one: one.idle,
}


def _taken(shared: Sharing) -> str:
    """ "up to 0.95 of 2 cores (python (user root), rustc (user root))"."""
    parts = [f"{name} {cores:.2f}" for name, cores in _told(shared)]
    if shared.steal >= 0.01 * shared.cores:
        parts.append(f"stolen by the hypervisor {shared.steal:.2f}")
    named = f" ({'; '.join(parts)})" if parts else ""
    return f"up to {shared.taken:.2f} of {round(shared.cores)!s} cores{named}"


def _names(every: Sequence[Sharing]) -> list[str]:
    return list(dict.fromkeys(name for shared in every for name, _ in _told(shared)))[:_NAMED]


def _told(shared: Sharing) -> list[tuple[str, float]]:
    return [(name, cores) for name, cores in shared.named[:_NAMED] if cores >= 0.01 * shared.cores]


def _effect(worst: Sharing, every: Sequence[Sharing], *, closed: bool) -> str:
    """How wrong the figures can be for it, as bounds."""
    parts = []
    if closed and worst.gain is not None:
        parts.append(f"throughput could be up to {percent(100 * worst.gain)} % higher without them")
    excess = worst.mean_excess_ms
    if closed and excess is not None and worst.latency is not None:
        mean = milliseconds(worst.latency.mean)
        parts.append(f"the mean response time ({mean}) up to {milliseconds(excess)} shorter")
    waits = [(one.waited.p99, one.latency.p99) for one in every if one.waited and one.latency]
    if waits:
        waited, p99 = max(waits)
        parts.append(
            f"99 % of the response times contain at most {milliseconds(waited)} in which the load generator"
            f" had no processor (their 99th percentile is {milliseconds(p99)})"
        )
    return f"; {listed(parts)}" if parts else ""
