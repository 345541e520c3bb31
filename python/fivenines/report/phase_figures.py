"""Failovers by phase as figures: a stacked bar for each solution and fault."""

from fivenines.analysis.cells import CellResult
from fivenines.analysis.fault_results import FaultResult
from fivenines.analysis.wording import (
    NOT_BACK,
    NOT_ENDED,
    at_least,
    mean_with_interval,
    milliseconds,
    open_in,
)
from fivenines.report.charts.phases import Bar, bars
from fivenines.report.charts.svg import to_svg
from fivenines.report.figures import Figure, title_of
from fivenines.report.groups import Group, Names
from fivenines.report.phases import faults_of, finding, label_of, phase_table, stuck

LEGEND = (
    "Each bar is the mean, from the fault until caught up; phases are those of the trials whose load wrote"
    " again, and the line below the end is the 95 % interval of the whole. Grey with an arrow: at least so"
    " long, as some trial was not back or not caught up when its time ended. Phases that are too short to"
    " be seen stand in the text above the bar."
)
_ROOM = 46
"""So many letters fit above a bar."""

_LONG = 62
"""So many of its smaller text."""


def phase_figures(group: Group, names: Names) -> list[Figure]:
    """The failovers of a group as stacked bars; [] where nothing interrupted the writes."""
    found = [
        (cell, fault)
        for cell, fault in faults_of(group.cells)
        if fault.interrupted or fault.not_back
    ]
    if not found:
        return []
    title = title_of("Failover by phase", group)
    several = len(group.connections) > 1
    drawn = bars([_bar(cell, fault, several) for cell, fault in found])
    return [Figure(title, finding(found), to_svg(drawn), phase_table(found, names))]


def _bar(cell: CellResult, fault: FaultResult, several: bool) -> Bar:
    name = f"{cell.key.solution}, {cell.key.connections}" if several else cell.key.solution
    if len(cell.faults) > 1:
        name = f"{name} · {label_of(cell, fault)}"
    value = mean_with_interval(fault.whole, milli=True, why=NOT_ENDED)
    figures = [
        at_least(
            milliseconds(phase.summary.mean or 0.0),
            phase.summary.bounds,
            phase.summary.n,
            NOT_ENDED,
        )
        for phase in fault.phases
        if phase.seen and fault.back.n
    ]
    gone = (
        [f"{NOT_BACK}{open_in(fault.not_back, fault.trials)}; {stuck(fault)}"]
        if fault.not_back
        else []
    )
    low, high = fault.whole.ci_low, fault.whole.ci_high
    open_ = fault.whole.bounds > 0
    return Bar(
        name,
        value if len(name) + len(value) < _ROOM else value.partition(" (")[0],
        # of the trials that were not back the caption tells where both have no room
        _fitting([" + ".join(figures), *gone] if figures else gone),
        _segments(fault) if fault.back.n else [],
        None if open_ or low is None else low / 1000,
        None if open_ or high is None else high / 1000,
        (fault.whole.mean or 0.0) / 1000 if open_ else None,
    )


def _fitting(parts: list[str]) -> str:
    text = "; ".join(parts)
    return text if len(text) <= _LONG else parts[0]


def _segments(fault: FaultResult) -> list[tuple[int, float, float]]:
    found, start = [], 0.0
    for index, phase in enumerate(fault.phases, 1):
        end = start + (phase.summary.mean or 0.0) / 1000
        if end > start:
            found.append((index, start, end))
        start = end
    return found
