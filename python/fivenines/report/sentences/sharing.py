"""Report other processes that used the machine during measurements: cautions, and a table of CPU use."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.resources.machine import Sharing
from fivenines.analysis.wording import NOTHING, count, listed, milliseconds, percent
from fivenines.report.groups import Names, by_solution
from fivenines.report.table import Table, right

# The number of other processes that are named, the largest first.
_NAMED = 3

LEGEND = (
    "On one machine the load generator and the servers under test compete for CPUs. This is expected and"
    " gets no caution. The last column is the size of the effect: 99 % of the response times contain at most"
    " this much waiting of the load generator."
)


def cautions(cells: Sequence[CellResult]) -> list[str]:
    """Return a sentence for each solution whose figures other processes changed, with bounds."""
    texts = []
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
            texts.append(
                f"Other processes used the machine while {solution} was measured ({of}):"
                f" {_taken(worst)}{_effect(worst, every, closed=closed)}."
            )
    return texts


def caution_in_short(cells: Sequence[CellResult]) -> list[str]:
    """Return one sentence for all solutions; [] if other processes changed no figures."""
    disturbed = {
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
    if not disturbed:
        return []
    worst = max((one for some in disturbed.values() for one in some), key=lambda one: one.taken)
    every = len(disturbed) == len(by_solution(cells)) and len(disturbed) > 1
    verb = "was" if len(disturbed) < 2 else "were"
    subject = "every solution was" if every else f"{listed(list(disturbed))} {verb}"
    taken = f"up to {worst.taken:.1f} of {round(worst.cores)} cores"
    return [f"Other processes used {taken} of the machine while {subject} measured."]


def table(cells: Sequence[CellResult], names: Names) -> Table:
    """Return the CPU use of each cell's steady window by user, as means of its trials."""
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
    columns = ["Cell", "Cores", *_COLUMNS, "Largest others", "Wait within 99 % of responses"]
    numeric = right(columns, "Cell", "Largest others")
    caption = f"CPU use in the steady window, in cores. {LEGEND}"
    return Table(caption, columns, rows, 1, numeric)


_COLUMNS = {
    "Lab": lambda one: one.lab,
    "Others": lambda one: one.others,
    "Stolen": lambda one: one.steal,
    "Idle": lambda one: one.idle,
}


def _taken(shared: Sharing) -> str:
    """ "up to 0.95 of 2 cores (python (user root), rustc (user root))"."""
    parts = [f"{name} {cores:.2f}" for name, cores in _named(shared)]
    if shared.steal >= 0.01 * shared.cores:
        parts.append(f"stolen by the hypervisor {shared.steal:.2f}")
    named = f" ({'; '.join(parts)})" if parts else ""
    return f"up to {shared.taken:.2f} of {round(shared.cores)!s} cores{named}"


def _names(every: Sequence[Sharing]) -> list[str]:
    return list(dict.fromkeys(name for shared in every for name, _ in _named(shared)))[:_NAMED]


def _named(shared: Sharing) -> list[tuple[str, float]]:
    return [(name, cores) for name, cores in shared.named[:_NAMED] if cores >= 0.01 * shared.cores]


def _effect(worst: Sharing, every: Sequence[Sharing], *, closed: bool) -> str:
    """Return bounds of the effect on the figures."""
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
            f" had no CPU (their 99th percentile is {milliseconds(p99)})"
        )
    return f"; {listed(parts)}" if parts else ""
