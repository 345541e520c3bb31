"""The chapter on client stacks: the outage as applications have it."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.figure_cache import cached
from fivenines.analysis.stacks.cell import StackResult, cells_with_stacks
from fivenines.analysis.stacks.trial import STACKS, StackMeasures
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import (
    NOT_ENDED,
    NOTHING,
    at_least,
    count,
    listed,
    mean_with_interval,
    milliseconds,
)
from fivenines.report.chapters.data import Data
from fivenines.report.charts.applications import Applications, Line, applications
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Names
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Section, explained, folded, in_row
from fivenines.report.sentences.answer import Answer
from fivenines.report.table import Table, right, without_empty
from fivenines.report.terminal.summary import outage_text
from fivenines.results.store import StoredTrial

CellStacks = tuple[CellResult, list[StackResult]]

TITLE = "The outage as applications have it"

# The rows of the load in a table of stacks: its sessions, and its attempts of new connections.
LOAD, CONNECTIONS = "fivenines' load", "fivenines' new connections"

# Number of kinds of errors that are listed of each stack.
_ERRORS = 3

LEGEND = [
    "A client stack is a driver with its pool. Its longest gap is the longest time without a committed "
    "write, from the fault on; pauses between transactions are part of it. A worker that hangs is missed by "
    "the gap of the whole stack, as others go on: the slowest worker shows it. The gap before the fault is "
    "what pauses and the machine do by themselves.",
    "The load of fivenines speaks the protocols itself and connects again at once; without a timeout its "
    "sessions wait for a silent server, too. Its new connections show when the cluster serves clients again.",
    "In doubt: the COMMIT was sent and not answered. Twice: operations with several rows, by a repetition or "
    "by the driver itself. Lost: acknowledged operations without a row on the primary after the trial. "
    "Connections kept: those to a host that was hit, at the end of the observation.",
    "In the picture a broad line is a time with committed writes, a thin red one a time with attempts that "
    "failed or are in doubt; neither: the workers waited.",
]


def chapter(data: Data) -> Section:
    """Return the outages of client stacks; empty without any."""
    cells = data.stacks
    if not cells:
        return Section("applications", TITLE)
    figures = [_figure(cell, found, data.names) for cell, found in cells if cell.faulted]
    shown, others = in_row(figures, "The other conditions")
    drawers = [*others, *folded(*detail_tables(cells, data.names)), explained(*LEGEND)]
    return Section("applications", TITLE, [], matrices(cells, data.names), shown, drawers, cautions(cells))


def application_tables(data: Data) -> list[Table]:
    """Return all tables of the chapter, without drawing its pictures."""
    return [*matrices(data.stacks, data.names), *detail_tables(data.stacks, data.names)]


def detail_tables(cells: Sequence[CellStacks], names: Names) -> list[Table]:
    """Return the tables that the page folds away."""
    pools = pools_table(cells, names)
    tables = [details_table(cells, names), *([pools] if pools.rows else [])]
    return [*tables, errors_table(cells, names), programs_table(cells)]


def application_answers(cells: Sequence[CellResult], names: Names) -> list[Answer]:
    """Return a sentence for each cell with stacks, then what recommended settings change.

    Cells in which most stacks did not recover come first.
    """
    found = sorted(cells_with_stacks(cells), key=lambda item: -sum(one.stuck > 0 for one in item[1]))
    texts = [*(_finding(cell, stacks, names) for cell, stacks in found), *_recommended(found, names)]
    return [Answer("Applications", text, "applications") for text in texts]


def _finding(cell: CellResult, found: Sequence[StackResult], names: Names) -> str:
    where = names.full(cell.key)
    if not cell.faulted:
        longest = max(found, key=lambda one: one.gap.mean or 0.0)
        gap = mean_with_interval(longest.gap, milli=True)
        return f"{where}: no client stack was without a commit for longer than {gap} ({longest.name})."
    text = f"{where}: outage of the load: {outage_text(cell.writes)}"
    if cell.connections.points:
        text += f", of new connections: {outage_text(cell.connections)}"
    back = sorted((one for one in found if not one.gap.bounds), key=lambda one: one.gap.mean or 0.0)
    if back:
        first, last = back[0], back[-1]
        gaps = [milliseconds(one.gap.mean or 0.0) for one in (first, last)]
        text += (
            f"; {len(back)} of {count(len(found), 'client stack')} recovered after {gaps[0]} ({first.name})"
        )
        text += f" to {gaps[1]} ({last.name})" if len(back) > 1 else ""
    gone = [one for one in found if one.gap.bounds]
    if gone:
        each = [f"{one.name} (in {one.gap.bounds} of {count(one.trials, 'trial')})" for one in gone]
        text += f"; not recovered at the end: {listed(each)}"
    part = [one for one in found if one.stuck > one.never]
    if part:
        each = [f"{one.name} ({one.stuck - one.never} of {count(one.trials, 'trial')})" for one in part]
        text += f"; recovered without all workers: {listed(each)}"
    return text + "."


def _recommended(cells: Sequence[CellStacks], names: Names) -> list[str]:
    """Say where recommended settings bring a stack back in all trials, and its defaults do not."""
    found = []
    for cell, stacks in cells:
        by_name = {one.name: one for one in stacks}
        pairs = [
            (one, by_name[f"{one.name}:recommended"])
            for one in stacks
            if cell.faulted and f"{one.name}:recommended" in by_name
        ]
        better = [f"{b.name} ({_short(b.gap)})" for a, b in pairs if a.stuck and not b.stuck]
        if better:
            found.append(
                f"{names.full(cell.key)}: with the recommended settings all workers recovered in all trials, "
                f"and with the defaults they did not: {listed(better)}."
            )
    return found


def matrices(cells: Sequence[CellStacks], names: Names) -> list[Table]:
    """Return a table for each solution: stacks as rows, conditions as columns."""
    tables = []
    for solution in dict.fromkeys(cell.key.solution for cell, _ in cells):
        own = [(cell, found) for cell, found in cells if cell.key.solution == solution]
        columns = ["Client stack", *(names.label(cell.key) or cell.key.fault for cell, _ in own)]
        rows = [[LOAD, *(outage_text(cell.writes) for cell, _ in own)]]
        if any(cell.connections.points for cell, _ in own):
            rows.append([CONNECTIONS, *(outage_text(cell.connections) for cell, _ in own)])
        for name in dict.fromkeys(one.name for _, found in own for one in found):
            each = [next((one for one in found if one.name == name), None) for _, found in own]
            rows.append([name, *(NOTHING if one is None else _cell(one) for one in each)])
        caption = f"Longest time without a committed write, {solution}: means over the trials"
        tables.append(Table(caption, columns, rows, 1, right(columns, "Client stack")))
    return tables


def _cell(one: StackResult) -> str:
    """Return the gap of a stack; with the number of trials in which a worker did not come back."""
    text = _short(one.gap)
    if one.died:
        return f"{text}; its program ended ({one.died} of {one.trials})"
    if one.stuck > one.gap.bounds:
        return f"{text}; without all workers ({one.stuck} of {one.trials})"
    return text


def _short(gap: Summary) -> str:
    return at_least(milliseconds(gap.mean or 0.0), gap.bounds, gap.n, NOT_ENDED)


def details_table(cells: Sequence[CellStacks], names: Names) -> Table:
    """Return all figures of each stack of each cell."""
    columns = [
        "Solution",
        "Conditions",
        "Client stack",
        "Trials",
        "Longest gap",
        "Gap before the fault",
        "Slowest worker",
        "Workers not recovered",
        "Connections kept",
        "Failed",
        "In doubt",
        "Twice",
        "By the driver",
        "Lost",
    ]
    rows = [
        [
            cell.key.solution,
            names.label(cell.key),
            one.name,
            str(one.trials),
            mean_with_interval(one.gap, milli=True, why=NOT_ENDED),
            mean_with_interval(one.before, milli=True),
            mean_with_interval(one.last_worker, milli=True, why=NOT_ENDED),
            f"{one.stuck} of {one.trials}",
            NOTHING if one.held is None else f"{one.held} of {one.trials}",
            str(one.failed),
            str(one.in_doubt),
            *_rows(one),
        ]
        for cell, found in cells
        for one in found
    ]
    caption = "Client stacks: gaps as means over the trials, attempts and operations as sums"
    left = ("Solution", "Conditions", "Client stack")
    return without_empty(Table(caption, columns, rows, 3, right(columns, *left)), "Conditions")


def _rows(one: StackResult) -> list[str]:
    if not one.read:
        return [NOTHING] * 3
    unread = "" if one.read == one.trials else f" (in {one.read} of {one.trials} trials)"
    return [f"{number}{unread}" for number in (one.twice, one.by_driver, one.lost)]


def pools_table(cells: Sequence[CellStacks], names: Names) -> Table:
    """Return what the pools counted; without rows if none was sampled."""
    left = ["Solution", "Conditions", "Client stack"]
    columns = [*left, "Workers waiting", "Connections open", "Connections opened"]
    rows = [
        [
            cell.key.solution,
            names.label(cell.key),
            one.name,
            NOTHING if one.waiting is None else f"{one.waiting} of {one.workers}",
            _range(one.open),
            mean_with_interval(one.opened),
        ]
        for cell, found in cells
        for one in found
        if one.waiting is not None or one.open is not None or one.opened.n
    ]
    caption = (
        "Pools of client stacks from the fault on, sampled once a second: most workers without a connection, "
        "fewest to most open connections, and the mean number of connections opened"
    )
    return without_empty(Table(caption, columns, rows, 3, right(columns, *left)), "Conditions")


def _range(numbers: tuple[int, int] | None) -> str:
    if numbers is None:
        return NOTHING
    least, most = numbers
    return str(most) if least == most else f"{least} to {most}"


def errors_table(cells: Sequence[CellStacks], names: Names) -> Table:
    """Return the most frequent errors of each stack of each cell."""
    columns = ["Solution", "Conditions", "Client stack", "Stage", "Code", "Attempts"]
    rows = [
        [cell.key.solution, names.label(cell.key), one.name, stage, code, str(number)]
        for cell, found in cells
        for one in found
        for stage, code, number in one.errors[:_ERRORS]
    ]
    caption = f"Errors of client stacks, the {_ERRORS} most frequent of each"
    table = Table(caption, columns, rows, 3, right(columns, *columns[:5]))
    return without_empty(table, "Conditions")


def programs_table(cells: Sequence[CellStacks]) -> Table:
    """Return versions and settings of each stack."""
    columns = [
        "Client stack",
        "Driver and pool",
        "Settings",
        "Workers",
        "Pause",
        "Repeats",
        "Pool open after",
    ]
    records = {
        stack.name: stack for cell, _ in cells for trial in cell.trials for stack in trial.record.stacks
    }
    rows = [
        [
            one.name,
            one.versions,
            ", ".join(f"{name}={value}" for name, value in one.options.items()) or "its defaults",
            str(one.workers),
            milliseconds(one.think_ms),
            "idempotent" if one.idempotent else "yes" if one.repeat else "no",
            milliseconds(1000 * one.ready_seconds),
        ]
        for one in records.values()
    ]
    return Table("Client stacks and their settings", columns, rows, 1, right(columns, *columns[:3]))


def cautions(cells: Sequence[CellStacks]) -> list[str]:
    """Return what is wrong with the programs of stacks, and rows that could not be read."""
    found: dict[str, str] = {}
    for cell, _ in cells:
        for trial in cell.trials:
            for stack in trial.record.stacks:
                if stack.unread:
                    found.setdefault(
                        f"{stack.name} rows", f"{trial.record.id}: rows of {stack.name}: {stack.unread}"
                    )
                for problem in stack.problems[:1]:
                    found.setdefault(stack.name, f"{trial.record.id}: {stack.name}: {problem}")
    return list(found.values())


def _figure(cell: CellResult, found: Sequence[StackResult], names: Names) -> Figure:
    """Return the time line of all stacks in the first trial with them."""
    trial = next(one for one in cell.trials if one.record.stacks)
    (stacks,) = cached(STACKS, [StoredTrial(trial.folder, trial.record)])
    fault = trial.record.fault
    label = names.full(cell.key)
    at = fault.at if fault is not None else 0.0
    end = max((stack.end_ms - at) / 1000 for stack in trial.record.stacks)
    chart = Applications(
        -2.0, max(end, 1.0), [_line(one) for one in stacks.stacks], cell.key.fault, _back(trial)
    )
    table = matrices([(cell, list(found))], names)[0]
    title = f"{TITLE}: {label}"
    caption = f"Trial {trial.record.id}. Broad: committed writes. Thin: attempts that failed or are in doubt."
    return Figure(title, caption, to_svg(applications(chart)), table)


def _line(one: StackMeasures) -> Line:
    gap = one.figures.gap
    text = at_least(milliseconds(gap.length), int(gap.open), 1, NOT_ENDED)
    missing = len(one.figures.workers) - one.figures.back
    if missing and not gap.open:
        text += f", {count(missing, 'worker')} not recovered"
    return Line(one.name, text, _seconds(one.writing), _seconds(one.failing))


def _seconds(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(a / 1000, b / 1000) for a, b in spans]


def _back(trial: TrialMeasures) -> float | None:
    """Return when the load wrote again, in s from the fault; None: it did not, or it never stopped."""
    if not trial.faults:
        return None
    failover = trial.faults[0].failover
    return failover.return_ms / 1000 if failover.interrupted and failover.returned else None
