"""The chapter on failovers by phase: tables, and what they say in a sentence."""

import statistics
from collections.abc import Iterator, Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.fault_results import FaultResult, PhaseResult
from fivenines.analysis.phases import PHASES
from fivenines.analysis.statistics import Summary
from fivenines.analysis.wording import (
    NOTHING,
    count,
    listed,
    mean_with_interval,
    milliseconds,
    number,
    percent,
)
from fivenines.report.groups import Names
from fivenines.report.summary import spread
from fivenines.report.table import Table, right, without_empty

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
        "Solution", "Conditions", "Fault", "Phase", "n", "Mean", "Standard deviation",
        "Variation", "95 % interval", "Median",
    ]  # fmt: skip
    rows = []
    for cell, fault in found:
        head = [cell.key.solution, names.label(cell.key), label_of(cell, fault)]
        rows += [[*head, phase.name, *_phase_cells(phase)] for phase in fault.phases if phase.seen]
        for name, summary, open_ in (
            ("until the load writes", fault.returned, 0),
            ("until caught up", fault.whole, fault.not_caught_up),
        ):
            if summary.n:
                rows.append([*head, name, *_bounded(spread(summary, milli=True), open_), NOTHING])
        if fault.not_back:
            rows.append([*head, stuck(fault), *spread(fault.bound, milli=True), NOTHING])
    caption = (
        "Phases of each failover (absent phases count as 0 where other trials have them; > marks"
        " lower bounds)"
    )
    table = Table(caption, columns, rows, 4, right(columns, *columns[:4]))
    return without_empty(table, "Conditions")


def effects_table(cells: Sequence[CellResult], names: Names) -> Table:
    """What each fault did to the load besides the outage."""
    columns = [
        "Solution", "Conditions", "Fault", "Trials", "Outage, writes", "Outage, reads", "Brown-out",
        "Brown-out by chance", "Failed", "In doubt", "Work lost",
    ]  # fmt: skip
    rows = [
        [
            cell.key.solution, names.label(cell.key), label_of(cell, fault), str(fault.trials),
            _outage(fault.writes, fault.writes_noticed, fault.writes_not_back),
            _outage(fault.reads, fault.reads_noticed, fault.reads_not_back),
            _time(fault.brownout),
            _share(fault.steady_below),
            _number(fault.failed), _number(fault.in_doubt),
            bound(mean_with_interval(fault.work_lost), fault.work_open),
        ]
        for cell, fault in faults_of(cells)
    ]  # fmt: skip
    caption = (
        "Each fault's outages, brown-out (time below 90 % of the steady rate), failed and in-doubt"
        " operations of the load, and work lost in transactions"
    )
    table = Table(caption, columns, rows, 3, right(columns, *columns[:3]))
    return without_empty(table, "Conditions")


def notes_table(cells: Sequence[CellResult], names: Names) -> Table:
    """Marks that were mended, by trial."""
    rows = [
        [note.partition(": ")[0], names.full(cell.key), note.partition(": ")[2]]
        for cell, fault in faults_of(cells)
        for note in fault.notes
    ]
    return Table("Marks out of their order", ["Trial", "Cell", "What was seen"], rows)


def composition(cells: Sequence[CellResult]) -> str:
    """What the failover times of these cells consist of; "" if none is known."""
    parts = []
    for cell, fault in faults_of(cells):
        text = _composition(fault)
        if text:
            parts.append(f"{_who(cell, fault)} {text}")
    return "; ".join(parts)


def label_of(cell: CellResult, fault: FaultResult) -> str:
    """The fault's label, with its number where a trial has several."""
    return fault.label if len(cell.faults) == 1 else f"{fault.number}: {fault.label}"


def _composition(fault: FaultResult) -> str:
    whole = fault.returned.mean
    if not whole or not fault.interrupted:
        return ""
    shares = [
        (100 * (phase.summary.mean or 0.0) / whole, phase.name)
        for phase in fault.phases
        if phase.seen and phase.name != _CATCH_UP
    ]
    large = [f"{percent(share)} % {name}" for share, name in shares if share >= _WORTH_SAYING]
    return f"{milliseconds(whole)}, of which {listed(large)}"


def finding(found: Sequence[Found]) -> str:
    """One sentence for those that came back, one for those that did not."""
    named = [(_who(cell, fault), fault) for cell, fault in found]
    back = [f"{who} {_composition(fault)}" for who, fault in named if _composition(fault)]
    gone = [
        f"{who} (in {fault.not_back} of {count(fault.trials, 'trial')},"
        f" {milliseconds(fault.bound.mean or 0.0)} or longer; {stuck(fault)})"
        for who, fault in named
        if fault.not_back
    ]
    sentences = []
    if back:
        sentences.append(f"From the fault to the first write of the load: {'; '.join(back)}.")
    if gone:
        sentences.append(f"The load did not write again with {'; '.join(gone)}.")
    return " ".join(sentences)


def _who(cell: CellResult, fault: FaultResult) -> str:
    name = cell.key.solution
    return name if len(cell.faults) == 1 else f"{name} (fault {fault.number}, {fault.label})"


def _phase_cells(phase: PhaseResult) -> list[str]:
    median = milliseconds(statistics.median(phase.values))
    return [*_bounded(spread(phase.summary, milli=True), phase.open_), bound(median, phase.open_)]


def _bounded(cells: list[str], open_: int) -> list[str]:
    """The cells of `spread`; of a lower bound only n and the mean say something."""
    return [cells[0], bound(cells[1], open_), *([NOTHING] * 3)] if open_ else cells


def stuck(fault: FaultResult) -> str:
    """In which phases the trials that did not come back were at the end."""
    names = [f"{name} ({n})" if len(fault.stuck) > 1 else name for name, n in fault.stuck.items()]
    return f"did not end: {listed(names)}"


def _outage(summary: Summary, noticed: int, not_back: int) -> str:
    if not summary.n:
        return NOTHING
    if not_back:
        return f"> {milliseconds(summary.mean or 0.0)} (not back in {not_back} of {summary.n})"
    if not noticed:
        return f"none noticed (mean gap {milliseconds(summary.mean or 0.0)})"
    return mean_with_interval(summary, milli=True)


def _time(summary: Summary) -> str:
    alike = summary.mean is not None and not summary.sd
    return milliseconds(summary.mean or 0.0) if alike else mean_with_interval(summary, milli=True)


def _number(summary: Summary) -> str:
    """The mean with its interval, unless all trials agree."""
    alike = summary.mean is not None and not summary.sd
    return number(summary.mean or 0.0) if alike else mean_with_interval(summary)


def bound(text: str, open_: int) -> str:
    """Marked as a lower bound if it is open in some trials; its interval then says nothing."""
    if not open_ or text == NOTHING:
        return text
    return f"> {text.partition(' (')[0]}"


def _share(summary: Summary) -> str:
    return NOTHING if summary.mean is None else f"{percent(100 * summary.mean)} %"
