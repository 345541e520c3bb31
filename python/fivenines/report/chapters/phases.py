"""The chapter on failovers by phase: tables, and what they say in a sentence."""

import re
import statistics
from collections.abc import Iterator, Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.clocks import error_ms
from fivenines.analysis.fault_results import FaultResult, PhaseResult
from fivenines.analysis.phases import PHASES
from fivenines.analysis.statistics import Summary
from fivenines.analysis.wording import (
    NOT_ENDED,
    NOT_RECOVERED,
    NOTHING,
    at_least,
    listed,
    mean_with_interval,
    milliseconds,
    number,
    open_in,
    percent,
)
from fivenines.report.chapters.data import Data
from fivenines.report.charts.fitting import fitted
from fivenines.report.charts.phases import Bar, bars
from fivenines.report.charts.svg import to_svg
from fivenines.report.figures import Figure, title_of
from fivenines.report.groups import Group, Names, groups_of
from fivenines.report.section import Drawer, Section, explained, folded, in_row
from fivenines.report.summary import outage_text, spread, total_text
from fivenines.report.table import Table, right, without, without_empty


def chapter(data: Data) -> Section:
    """What the failover times consist of, and what the faults did besides the outage."""
    groups = groups_of(data.done, data.names)
    figures = [figure for group in groups for figure in phase_figures(group, data.names)]
    shown, others = in_row(figures, "The other conditions")
    effects = Drawer("What each fault did besides", [effects_table(data)])
    drawers = [*others, effects, *folded(notes_table(data))]
    clocks = error_ms(trial.record for cell in data.done for trial in cell.trials)
    known = "" if clocks is None else CLOCKS.format(milliseconds(clocks))
    drawers += [explained(LEGEND + known)] if figures else []
    return Section("phases", "Failover by phase", [], [], shown, drawers)


BARS = "Bars are means from the fault on; the line below an end is its 95 % interval."
LEGEND = (
    "Each bar is the mean, from the fault until caught up; phases are those of the trials whose load wrote"
    " again, and the line below the end is the 95 % interval of the whole. Grey with an arrow: at least so"
    " long, as some trial was not back or not caught up when its time ended. Phases that are too short to"
    " be seen stand in the text above the bar."
)

CLOCKS = " The hosts have clocks of their own: as these are known, a phase may be wrong by up to {}."

_LONG = 62
"""So many of its smaller text."""


def phase_figures(group: Group, names: Names) -> list[Figure]:
    """The failovers of a group as stacked bars; [] where nothing interrupted the writes."""
    found = [
        (cell, fault) for cell, fault in faults_of(group.cells) if fault.interrupted or fault.not_recovered
    ]
    if not found:
        return []
    title = title_of("Failover by phase", group)
    several = len(group.connections) > 1
    drawn = bars([_bar(cell, fault, several, names.styles[cell.key.solution].tag) for cell, fault in found])
    # the chapter begins with what the bars say where there is one condition
    caption = "" if group.label else BARS
    table = phase_table(found, names)
    return [Figure(title, finding(found), to_svg(drawn), table, caption=caption)]


def _bar(cell: CellResult, fault: FaultResult, several: bool, tag: str) -> Bar:
    name = f"{cell.key.solution}, {cell.key.connections}" if several else cell.key.solution
    if len(cell.faults) > 1:
        name = f"{name} · {label_of(cell, fault)}"
    value = mean_with_interval(fault.whole, milli=True, why=NOT_ENDED)
    figures = [
        at_least(milliseconds(phase.summary.mean or 0.0), phase.summary.bounds, phase.summary.n, NOT_ENDED)
        for phase in fault.phases
        if phase.seen and fault.back.n
    ]
    gone = (
        [f"{NOT_RECOVERED}{open_in(fault.not_recovered, fault.trials)}; {stuck(fault)}"]
        if fault.not_recovered
        else []
    )
    low, high = fault.whole.ci_low, fault.whole.ci_high
    open_ = fault.whole.bounds > 0
    return Bar(
        *fitted(name, value),
        # of the trials that were not back the caption tells where both have no room
        _fitting([" + ".join(figures), *gone] if figures else gone),
        _segments(fault) if fault.back.n else [],
        None if open_ or low is None else low / 1000,
        None if open_ or high is None else high / 1000,
        (fault.whole.mean or 0.0) / 1000 if open_ else None,
        tag,
    )


def _fitting(parts: list[str]) -> str:
    """The parts that have room above a bar; of a single one that has none, the figures without words."""
    text = "; ".join(parts)
    if len(text) > _LONG:
        text = parts[0]
    return text if len(text) <= _LONG else re.sub(r" \([^)]*\)", "", text)


def _segments(fault: FaultResult) -> list[tuple[int, float, float]]:
    found, start = [], 0.0
    for index, phase in enumerate(fault.phases, 1):
        end = start + (phase.summary.mean or 0.0) / 1000
        # one that took no time has no length, and a name all the same: its figure stands above the bar
        if phase.seen:
            found.append((index, start, end))
        start = end
    return found


_CATCH_UP = PHASES[-1]


_WORTH_SAYING = 10
"""Phases of a smaller share (per cent) of a failover are left to the figures."""


Found = tuple[CellResult, FaultResult]


def faults_of(cells: Sequence[CellResult]) -> Iterator[Found]:
    """All faults of all cells."""
    return ((cell, fault) for cell in cells for fault in cell.faults)


def phase_table(found: Sequence[Found], names: Names) -> Table:
    """Each phase of each fault: mean, spread, interval, median."""
    columns = [
        "Solution",
        "Conditions",
        "Fault",
        "Phase",
        "n",
        "Mean",
        "Standard deviation",
        "Variation",
        "95 % interval",
        "Median",
    ]
    rows = []
    for cell, fault in found:
        head = [cell.key.solution, names.label(cell.key), label_of(cell, fault)]
        rows += [[*head, phase.name, *_phase_cells(phase)] for phase in fault.phases if phase.seen]
        for name, summary, why in (
            ("until the load writes", fault.returned, NOT_RECOVERED),
            ("until caught up", fault.whole, NOT_ENDED),
        ):
            if summary.n:
                rows.append([*head, name, *spread(summary, milli=True, why=why), NOTHING])
        if fault.not_recovered:
            rows.append([*head, stuck(fault), str(fault.not_recovered), *([NOTHING] * 5)])
    caption = (
        "Phases of each failover, of the trials whose load wrote again (absent phases count as 0 where"
        " other trials have them); the sums are of all trials"
    )
    table = Table(caption, columns, rows, 4, right(columns, *columns[:4]))
    return without_empty(table, "Conditions")


def effects_table(data: Data) -> Table:
    """What each fault did to the load besides the outage."""
    columns = [
        "Solution",
        "Conditions",
        "Fault",
        "Trials",
        "Outage, writes",
        "Interruptions",
        "Total, writes",
        "Outage, new connections",
        "Outage, reads",
        "Total, reads",
        "Brown-out",
        "Brown-out by chance",
        "Failed",
        "In doubt",
        "Work lost",
    ]
    rows = [
        [
            cell.key.solution,
            data.names.label(cell.key),
            label_of(cell, fault),
            str(fault.trials),
            outage_text(fault.writes),
            _mean(fault.writes.number),
            total_text(fault.writes),
            outage_text(fault.connections),
            outage_text(fault.reads),
            total_text(fault.reads),
            _figure(fault.brownout, milli=True),
            _share(fault.steady_below),
            _figure(fault.failed),
            _figure(fault.in_doubt),
            mean_with_interval(fault.work_lost, why=NOT_ENDED),
        ]
        for cell, fault in faults_of(data.done)
    ]
    caption = (
        "Each fault's outages (the longest interruption, their number, and all together), brown-out"
        " (time below 90 % of the steady rate), failed and in-doubt operations of the load, and work lost"
        " in transactions"
    )
    table = Table(caption, columns, rows, 3, right(columns, *columns[:3]))
    if all(not fault.connections.points for _, fault in faults_of(data.done)):
        table = without(table, "Outage, new connections")
    return without_empty(table, "Conditions")


def notes_table(data: Data) -> Table:
    """Marks that were mended, by trial."""
    rows = [
        [note.partition(": ")[0], data.names.full(cell.key), note.partition(": ")[2]]
        for cell, fault in faults_of(data.done)
        for note in fault.notes
    ]
    return Table("Marks out of their order", ["Trial", "Cell", "What was seen"], rows)


def composition(cells: Sequence[CellResult], names: Names) -> str:
    """What the failover times of these cells consist of; "" if none is known.

    Workloads are named where there are several.
    """
    return _compositions(list(faults_of(cells)), several=names.workloads > 1)


def catching_up(cells: Sequence[CellResult], names: Names) -> str:
    """How long each took from its first write until caught up; "" where that took next to no time."""
    found = [
        (cell, fault, phase)
        for cell, fault in faults_of(cells)
        if (phase := fault.phase(_CATCH_UP)).seen and phase.summary.mean is not None
    ]
    least = min((fault.returned.mean or 0.0 for _, fault, _ in found), default=0.0)
    if not any(100 * (one.summary.mean or 0.0) >= _WORTH_SAYING * least for *_, one in found):
        return ""
    several = names.workloads > 1
    return "; ".join(
        f"{_who(cell, fault)}{f' ({cell.key.workload})' if several else ''} "
        f"{mean_with_interval(phase.summary, milli=True, why=NOT_ENDED)}"
        for cell, fault, phase in found
    )


def label_of(cell: CellResult, fault: FaultResult) -> str:
    """The fault's label, with its number where a trial has several."""
    return fault.label if len(cell.faults) == 1 else f"{fault.number}: {fault.label}"


def _compositions(found: Sequence[Found], several: bool = False) -> str:
    parts = [
        (_who(cell, fault) + (f" ({cell.key.workload})" if several else ""), _composition(fault))
        for cell, fault in found
    ]
    return "; ".join(f"{who} {text}" for who, text in parts if text)


def _composition(fault: FaultResult) -> str:
    """The mean of all trials, and what it consists of in those whose load wrote again."""
    if not fault.not_recovered and not (fault.interrupted and fault.returned.mean):
        return ""
    whole = milliseconds(fault.returned.mean or 0.0)
    if not fault.not_recovered:
        return f"{whole}, of which {_shares(fault)}"
    text = at_least(whole, fault.returned.bounds, fault.returned.n)
    text = f"{text.removesuffix(')')}; {stuck(fault)})"
    if not fault.interrupted or not fault.back.mean:
        return text
    return f"{text}, otherwise {milliseconds(fault.back.mean)}, of which {_shares(fault)}"


def _shares(fault: FaultResult) -> str:
    shares = [
        (100 * (phase.summary.mean or 0.0) / (fault.back.mean or 1.0), phase.name)
        for phase in fault.phases
        if phase.seen and phase.name != _CATCH_UP
    ]
    return listed([f"{percent(share)} % {name}" for share, name in shares if share >= _WORTH_SAYING])


def finding(found: Sequence[Found]) -> str:
    """What the failovers consist of, in one sentence."""
    text = _compositions(found)
    return f"From the fault to the first write of the load: {text}." if text else ""


def _who(cell: CellResult, fault: FaultResult) -> str:
    name = cell.key.solution
    return name if len(cell.faults) == 1 else f"{name} (fault {fault.number}, {fault.label})"


def _phase_cells(phase: PhaseResult) -> list[str]:
    open_ = phase.summary.bounds
    median = milliseconds(statistics.median(phase.values))
    cells = spread(phase.summary, milli=True, why=NOT_ENDED)
    return [*cells, at_least(median, open_, phase.summary.n, NOT_ENDED)]


def stuck(fault: FaultResult) -> str:
    """In which phases the trials that did not come back were at the end."""
    names = [f"{name} ({n})" if len(fault.stuck) > 1 else name for name, n in fault.stuck.items()]
    return f"did not end: {listed(names)}"


def _figure(summary: Summary, milli: bool = False) -> str:
    """The mean with its interval, unless all trials agree."""
    if summary.mean is None or summary.sd:
        return mean_with_interval(summary, milli)
    return milliseconds(summary.mean) if milli else number(summary.mean)


def _mean(counts: Summary) -> str:
    """The mean of a number of things: "1", "1.67"."""
    mean = counts.mean
    return NOTHING if mean is None else number(int(mean) if mean == int(mean) else mean)


def _share(summary: Summary) -> str:
    return NOTHING if summary.mean is None else f"{percent(100 * summary.mean)} %"
