"""Failovers by phase as figures: a stacked bar for each solution and fault."""

from fivenines.analysis.cells import CellResult
from fivenines.analysis.fault_results import FaultResult
from fivenines.analysis.wording import mean_with_interval, milliseconds
from fivenines.report.figures import Figure, title_of
from fivenines.report.groups import Group, Names
from fivenines.report.phase_chart import Bar, bars
from fivenines.report.phases import bound, faults_of, finding, label_of, phase_table, stuck
from fivenines.report.svg import to_svg

LEGEND = (
    "Each bar is the mean over the trials whose load wrote again, from the fault until caught up;"
    " the line below its end is the 95 % interval of the whole. An arrow: at least so long. Phases"
    " that are too short to be seen stand in the text above the bar."
)
_ROOM = 46
"""So many letters fit above a bar."""


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
    if not fault.returned.n:
        at_least = fault.bound.mean or 0.0
        value = f"> {milliseconds(at_least)}"
        text = f"not back in {fault.not_back} of {fault.trials}; {stuck(fault)}"
        return Bar(name, value, text, [], bound=at_least / 1000)
    open_ = fault.not_caught_up > 0
    value = bound(mean_with_interval(fault.whole, milli=True), fault.not_caught_up)
    figures = [
        bound(milliseconds(phase.summary.mean or 0.0), phase.open_)
        for phase in fault.phases
        if phase.seen
    ]
    gone = f"; not back in {fault.not_back} of {fault.trials}" if fault.not_back else ""
    low, high = (None, None) if open_ else (fault.whole.ci_low, fault.whole.ci_high)
    return Bar(
        name,
        value if len(name) + len(value) < _ROOM else value.partition(" (")[0],
        " + ".join(figures) + gone,
        _segments(fault),
        None if low is None else low / 1000,
        None if high is None else high / 1000,
        open_,
    )


def _segments(fault: FaultResult) -> list[tuple[int, float, float]]:
    found, start = [], 0.0
    for index, phase in enumerate(fault.phases, 1):
        end = start + (phase.summary.mean or 0.0) / 1000
        if end > start:
            found.append((index, start, end))
        start = end
    return found
