"""Chapter `speed` of the report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.measures import noun
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.wording import count, listed, mean_with_interval, number
from fivenines.report.chapters.data import Data
from fivenines.report.charts import basic as charts
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Group, Names, before_faults, groups_of
from fivenines.report.html.figures import DOTS_LEGEND, SPREAD, Figure, title_of
from fivenines.report.html.section import Drawer, Section, explained, in_row
from fivenines.report.sentences import stalls
from fivenines.report.table import Table, right
from fivenines.report.terminal.summary import spread


def chapter(data: Data) -> Section:
    """Return throughput and response times of the steady window."""
    groups = groups_of(before_faults(data.cells), data.names)
    figures = [figure for group in groups for figure in speed_figures(group, data.names)]
    lost = stalls.table(data.done, data.names)
    stalled = [Drawer(lost.caption, [lost], texts=[stalls.LEGEND])] if lost.rows else []
    if not figures:
        return Section("speed", "Speed", drawers=stalled)
    how = explained(_legend(data.done))
    if data.blocks:
        return Section("speed", "Speed", drawers=stalled)  # the chapter on interleaved blocks has the figures
    shown, others = in_row(figures, "The other conditions")
    return Section("speed", "Speed", [], [], shown, [*others, *stalled, how])


LINES_LEGEND = "Lines join the means of the trials; bands are their 95 % intervals."


@dataclass(frozen=True)
class Measure:
    """A measure of speed that is drawn over connections; `milli`: in ms, else per second."""

    title: str
    axis: str
    get: Callable[[CellResult], Summary]
    milli: bool


SPEEDS = (
    Measure("Throughput", noun("tps"), lambda cell: cell.tps, False),
    Measure("Response time, 95th percentile", "ms", lambda cell: cell.latency["p95"], True),
    Measure("Response time, 99th percentile", "ms", lambda cell: cell.latency["p99"], True),
)


def alone(data: Data) -> list[Drawer]:
    """Return the speed of each solution alone, before the fault, if interleaved blocks compare it."""
    groups = groups_of(before_faults(data.cells), data.names)
    figures = [figure for group in groups for figure in speed_figures(group, data.names)]
    return [Drawer("Each solution alone, before the fault", figures=figures)] if figures else []


def speed_figures(group: Group, names: Names) -> list[Figure]:
    """Return charts of a group's speed: lines if the connections vary, otherwise dots."""
    figures = []
    for measure in SPEEDS:
        cells = [cell for cell in group.cells if measure.get(cell).n]
        if cells:
            figures.append(_speed_figure(group, cells, measure, names))
    return figures


def _speed_figure(group: Group, cells: Sequence[CellResult], measure: Measure, names: Names) -> Figure:
    over_connections = len({cell.key.connections for cell in cells}) > 1
    if over_connections:
        svg = to_svg(charts.lines(_lines(cells, measure, names), measure.axis))
    else:
        svg = to_svg(charts.dots(_speed_dots(cells, measure, names), measure.axis))
    title = title_of(measure.title, group)
    rows = [
        [cell.key.solution, str(cell.key.connections), *spread(measure.get(cell), measure.milli)]
        for cell in cells
    ]
    columns = ["Solution", "Connections", *SPREAD]
    return Figure(
        title,
        _speed_finding(cells, measure),
        svg,
        Table(f"{title} ({measure.axis})", columns, rows, numeric=right(columns, "Solution")),
    )


def _lines(cells: Sequence[CellResult], measure: Measure, names: Names) -> list[charts.Line]:
    by_solution: dict[str, list[tuple[int, Summary]]] = {}
    for cell in sorted(cells, key=lambda cell: cell.key.connections):
        point = (cell.key.connections, measure.get(cell))
        by_solution.setdefault(cell.key.solution, []).append(point)
    return [charts.Line(name, names.styles[name], by_solution[name]) for name in by_solution]


def _speed_dots(cells: Sequence[CellResult], measure: Measure, names: Names) -> list[charts.Dot]:
    return [
        charts.Dot(
            cell.key.solution,
            names.styles[cell.key.solution],
            measure.get(cell),
            [(value, "trial") for value in _trial_values(cell, measure)],
            mean_with_interval(measure.get(cell), milli=measure.milli),
        )
        for cell in cells
    ]


def _trial_values(cell: CellResult, measure: Measure) -> list[float]:
    if not measure.milli:
        return [trial.throughput.tps for trial in cell.trials if trial.throughput]
    percentile = "p95" if measure is SPEEDS[1] else "p99"
    return [getattr(trial.latency, percentile) for trial in cell.trials if trial.latency]


def _speed_finding(cells: Sequence[CellResult], measure: Measure) -> str:
    top = max(cell.key.connections for cell in cells)
    at = count(top, "connection")
    ranked = sorted(
        (cell for cell in cells if cell.key.connections == top),
        key=lambda cell: measure.get(cell).mean or 0.0,
        reverse=not measure.milli,
    )
    means = [mean_with_interval(measure.get(cell), measure.milli) for cell in ranked]
    parts = [
        f"{cell.key.solution} {mean.partition(' (')[0]}" for cell, mean in zip(ranked, means, strict=True)
    ]
    unit = "" if measure.milli else " transactions per second"
    order = "shortest" if measure.milli else "highest"
    if not measure.milli and all(cell.kept for cell in ranked):
        rates = listed(list(dict.fromkeys(number(cell.offered or 0.0) for cell in ranked)))
        return f"At {at}, all solutions met the offered rate of {rates}, so rates do not compare them."
    if len(parts) == 1:
        return f"At {at}: {parts[0]}{unit}."
    return f"At {at}, from the {order} mean: {listed(parts)}{unit}."


def _legend(cells: list[CellResult]) -> str:
    return LINES_LEGEND if len({cell.key.connections for cell in cells}) > 1 else DOTS_LEGEND
