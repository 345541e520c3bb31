"""The chapter on failovers by phase: charts, tables and sentences."""

import re
import statistics
from collections.abc import Iterator, Sequence

from fivenines.analysis.availability.fault_results import FaultResult, PhaseResult
from fivenines.analysis.availability.phases import PHASES
from fivenines.analysis.cells import CellResult
from fivenines.analysis.clocks import error_ms
from fivenines.analysis.measures.measures import title
from fivenines.analysis.statistics.means import Summary
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
from fivenines.report.charts.phases import Bar, bars
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Group, Names, groups_of
from fivenines.report.html.figures import Figure, title_of
from fivenines.report.html.section import Drawer, Section, explained, folded, in_row
from fivenines.report.table import Table, right, without, without_empty
from fivenines.report.terminal.summary import outage_text, spread, total_text


def chapter(data: Data) -> Section:
    """Return the phases of failovers, and other effects of the faults."""
    groups = groups_of(data.done, data.names)
    figures = [figure for group in groups for figure in phase_figures(group, data.names)]
    shown, others = in_row(figures, "The other conditions")
    effects = Drawer("Other effects of each fault", [effects_table(data)])
    drawers = [*others, effects, *folded(notes_table(data))]
    clocks = error_ms(trial.record for cell in data.done for trial in cell.trials)
    known = "" if clocks is None else CLOCKS.format(milliseconds(clocks))
    drawers += [explained(LEGEND + known)] if figures else []
    return Section("phases", "Failover by phase", [], [], shown, drawers)


BARS = "Bars are means, from the fault on; the line below an end is its 95 % interval."
LEGEND = (
    "Each bar is the mean time from the fault until caught up. Phases are those of the trials whose writes"
    " recovered; the line below the end is the 95 % interval of the whole. Grey with an arrow: a lower bound,"
    " as some trial had not recovered or not caught up at its end. The text above the bar has all phases,"
    " also those too short to be visible."
)

CLOCKS = " The hosts have separate clocks: a phase may be wrong by up to {}."

# The number of characters of the smaller text that fit above a bar.
_LONG = 62


def phase_figures(group: Group, names: Names) -> list[Figure]:
    """Return the failovers of a group as stacked bars; [] if nothing interrupted the writes."""
    interrupted = [
        (cell, fault) for cell, fault in faults_of(group.cells) if fault.interrupted or fault.not_recovered
    ]
    if not interrupted:
        return []
    title = title_of("Failover by phase", group)
    several = len(group.connections) > 1
    drawn = bars(
        [_bar(cell, fault, several, names.styles[cell.key.solution].tag) for cell, fault in interrupted]
    )
    # With one condition the chapter begins with the finding, so the caption does not repeat it.
    caption = "" if group.label else BARS
    table = phase_table(interrupted, names)
    return [Figure(title, finding(interrupted), to_svg(drawn), table, caption=caption)]


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
    unrecovered = (
        [f"{NOT_RECOVERED}{open_in(fault.not_recovered, fault.times)}; {stuck(fault)}"]
        if fault.not_recovered
        else []
    )
    low, high = fault.whole.ci_low, fault.whole.ci_high
    open_ = fault.whole.bounds > 0
    return Bar(
        name,
        value,
        # The caption also names the trials without recovery, in case there is no room here.
        _fitting([" + ".join(figures), *unrecovered] if figures else unrecovered),
        _segments(fault) if fault.back.n else [],
        None if open_ or low is None else low / 1000,
        None if open_ or high is None else high / 1000,
        (fault.whole.mean or 0.0) / 1000 if open_ else None,
        tag,
    )


def _fitting(parts: list[str]) -> str:
    """Return the parts that fit above a bar; of a single part without room, the figures without words."""
    text = "; ".join(parts)
    if len(text) > _LONG:
        text = parts[0]
    return text if len(text) <= _LONG else re.sub(r" \([^)]*\)", "", text)


def _segments(fault: FaultResult) -> list[tuple[int, float, float]]:
    segments, start = [], 0.0
    for index, phase in enumerate(fault.phases, 1):
        end = start + (phase.summary.mean or 0.0) / 1000
        # A phase without duration has no length, but the text above the bar has its figure.
        if phase.seen:
            segments.append((index, start, end))
        start = end
    return segments


_CATCH_UP = PHASES[-1]


# Sentences leave out phases with a smaller share of a failover, in per cent.
_NOTABLE = 10


CellFault = tuple[CellResult, FaultResult]


def faults_of(cells: Sequence[CellResult]) -> Iterator[CellFault]:
    """Return all faults of all cells."""
    return ((cell, fault) for cell in cells for fault in cell.faults)


def phase_table(faults: Sequence[CellFault], names: Names) -> Table:
    """Return each phase of each fault: mean, spread, interval, median."""
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
    for cell, fault in faults:
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
        "Phases of each failover, in trials whose writes recovered (absent phases count as 0 if other trials"
        " have them); the sums cover all trials"
    )
    table = Table(caption, columns, rows, 4, right(columns, *columns[:4]))
    return without_empty(table, "Conditions")


def effects_table(data: Data) -> Table:
    """Return the effects of each fault on the load."""
    columns = [
        "Solution",
        "Conditions",
        "Fault",
        "Trials",
        "Times",
        title("outage_writes"),
        "Interruptions",
        "Total, writes",
        title("outage_connections"),
        title("outage_reads"),
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
            str(fault.times),
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
        "Outages of each fault (longest interruption, number and total of interruptions), brown-out (time"
        " below 90 % of the steady rate), failed and in-doubt operations of the load, and work lost in"
        " transactions"
    )
    table = Table(caption, columns, rows, 3, right(columns, *columns[:3]))
    if all(not fault.connections.points for _, fault in faults_of(data.done)):
        table = without(table, title("outage_connections"))
    if not any(fault.in_turn for _, fault in faults_of(data.done)):
        table = without(table, "Times")
    return without_empty(table, "Conditions")


def notes_table(data: Data) -> Table:
    """Return corrected marks by trial."""
    rows = [
        [note.partition(": ")[0], data.names.full(cell.key), note.partition(": ")[2]]
        for cell, fault in faults_of(data.done)
        for note in fault.notes
    ]
    return Table("Marks out of order", ["Trial", "Cell", "Observation"], rows)


def composition(cells: Sequence[CellResult], names: Names) -> str:
    """Return the composition of the failover times of cells; "" if none is known.

    Workloads are named if there are several.
    """
    return _compositions(list(faults_of(cells)), several=names.workloads > 1)


def catching_up(cells: Sequence[CellResult], names: Names) -> str:
    """Return the time of each cell from its first write until caught up; "" if it is negligible."""
    phases = [
        (cell, fault, phase)
        for cell, fault in faults_of(cells)
        if (phase := fault.phase(_CATCH_UP)).seen and phase.summary.mean is not None
    ]
    least = min((fault.returned.mean or 0.0 for _, fault, _ in phases), default=0.0)
    if not any(100 * (one.summary.mean or 0.0) >= _NOTABLE * least for *_, one in phases):
        return ""
    several = names.workloads > 1
    return "; ".join(
        f"{_name(cell, fault)}{f' ({cell.key.workload})' if several else ''} "
        f"{mean_with_interval(phase.summary, milli=True, why=NOT_ENDED)}"
        for cell, fault, phase in phases
    )


def label_of(cell: CellResult, fault: FaultResult) -> str:
    """Return the fault's label, with its number if a trial has several."""
    return fault.called if len(cell.faults) == 1 else f"{fault.number}: {fault.called}"


def _compositions(faults: Sequence[CellFault], several: bool = False) -> str:
    parts = [
        (_name(cell, fault) + (f" ({cell.key.workload})" if several else ""), _composition(fault))
        for cell, fault in faults
    ]
    return "; ".join(f"{name} {text}" for name, text in parts if text)


def _composition(fault: FaultResult) -> str:
    """Return the mean of all trials, and its composition in trials whose writes recovered."""
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
    return listed([f"{percent(share)} % {name}" for share, name in shares if share >= _NOTABLE])


def finding(faults: Sequence[CellFault]) -> str:
    """Return the composition of failovers in one sentence."""
    text = _compositions(faults)
    return f"From the fault to the first write of the load: {text}." if text else ""


def _name(cell: CellResult, fault: FaultResult) -> str:
    name = cell.key.solution
    return name if len(cell.faults) == 1 else f"{name} (fault {fault.number}, {fault.label})"


def _phase_cells(phase: PhaseResult) -> list[str]:
    open_ = phase.summary.bounds
    median = milliseconds(statistics.median(phase.values))
    cells = spread(phase.summary, milli=True, why=NOT_ENDED)
    return [*cells, at_least(median, open_, phase.summary.n, NOT_ENDED)]


def stuck(fault: FaultResult) -> str:
    """Return the phases in which trials without recovery ended."""
    names = [f"{name} ({n})" if len(fault.stuck) > 1 else name for name, n in fault.stuck.items()]
    return f"did not end: {listed(names)}"


def _figure(summary: Summary, milli: bool = False) -> str:
    """Return the mean, with its interval unless all trials agree."""
    if summary.mean is None or summary.sd:
        return mean_with_interval(summary, milli)
    return milliseconds(summary.mean) if milli else number(summary.mean)


def _mean(counts: Summary) -> str:
    """Return a mean count: "1", "1.67"."""
    mean = counts.mean
    return NOTHING if mean is None else number(int(mean) if mean == int(mean) else mean)


def _share(summary: Summary) -> str:
    return NOTHING if summary.mean is None else f"{percent(100 * summary.mean)} %"
