"""Figures: a drawing, its finding in words, and its figures as a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from fivenines.analysis.cells import CellResult
from fivenines.analysis.outages import OutagePoint, Outages
from fivenines.analysis.statistics import Summary, scaled
from fivenines.analysis.wording import (
    NOT_BACK,
    at_least,
    count,
    listed,
    mean_with_interval,
    milliseconds,
    number,
)
from fivenines.report.charts import basic as charts
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Group, Names
from fivenines.report.summary import interruptions_text, outage_text, spread, total_text
from fivenines.report.table import Table, right

_SPREAD = ["n", "Mean", "Standard deviation", "Coefficient of variation", "95 % interval"]
LINES_LEGEND = "Lines join the means of the trials; bands are their 95 % intervals."
DOTS_LEGEND = (
    "The upright stroke is the mean of the trials, the bar its 95 % interval, each circle a trial."
)
OUTAGE_LEGEND = (
    DOTS_LEGEND + " A dash is a trial whose longest gap was no longer than an ordinary pause, a"
    " triangle one without service until the end of the load: a lower bound."
)


@dataclass(frozen=True)
class Figure:
    """A chart for the page; `finding` is its caption and text alternative, `notes` its events."""

    title: str
    finding: str
    svg: Markup
    table: Table
    notes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Measure:
    """A measure of speed that is drawn over connections; `milli`: in ms, else per second."""

    title: str
    axis: str
    get: Callable[[CellResult], Summary]
    milli: bool


SPEEDS = (
    Measure("Throughput", "transactions per second", lambda cell: cell.tps, False),
    Measure("Response time, 95th percentile", "ms", lambda cell: cell.latency["p95"], True),
    Measure("Response time, 99th percentile", "ms", lambda cell: cell.latency["p99"], True),
)


def speed_figures(group: Group, names: Names) -> list[Figure]:
    """Throughput and response times of a group; lines if the connections vary, else dots."""
    figures = []
    for measure in SPEEDS:
        cells = [cell for cell in group.cells if measure.get(cell).n]
        if cells:
            figures.append(_speed_figure(group, cells, measure, names))
    return figures


def outage_figures(group: Group, names: Names) -> list[Figure]:
    """The outages of writes, of new connections and of reads of a group, each trial a point."""
    kinds: list[tuple[str, Callable[[CellResult], Outages]]] = [
        ("writes", lambda cell: cell.writes),
        ("new connections", lambda cell: cell.connections),
        ("reads", lambda cell: cell.reads),
    ]
    figures = []
    for what, get in kinds:
        cells = [cell for cell in group.cells if get(cell).points]
        if cells:
            figures.append(_outage_figure(group, cells, what, get, names))
    return figures


def title_of(what: str, group: Group) -> str:
    """ "Throughput: oltp_read_write", or without the label where there is only one group."""
    return f"{what}: {group.label}" if group.label else what


def _speed_figure(
    group: Group, cells: Sequence[CellResult], measure: Measure, names: Names
) -> Figure:
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
    columns = ["Solution", "Connections", *_SPREAD]
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
    ranked = sorted(
        (cell for cell in cells if cell.key.connections == top),
        key=lambda cell: measure.get(cell).mean or 0.0,
        reverse=not measure.milli,
    )
    show = milliseconds if measure.milli else number
    parts = [f"{cell.key.solution} {show(measure.get(cell).mean or 0.0)}" for cell in ranked]
    unit = "" if measure.milli else " transactions per second"
    order = "shortest" if measure.milli else "highest"
    if not measure.milli and all(cell.kept for cell in ranked):
        rates = listed(list(dict.fromkeys(number(cell.offered or 0.0) for cell in ranked)))
        return f"At {top} connections, the offered rate of {rates} was kept: rates say no more."
    if len(parts) == 1:
        return f"At {top} connections: {parts[0]}{unit}."
    return f"At {top} connections, from the {order} mean: {listed(parts)}{unit}."


def _outage_figure(
    group: Group,
    cells: Sequence[CellResult],
    what: str,
    get: Callable[[CellResult], Outages],
    names: Names,
) -> Figure:
    several = len({cell.key.connections for cell in cells}) > 1
    rows = [_outage_dot(cell, get(cell), several, names) for cell in cells]
    title = title_of(f"Outage of {what}, each trial", group)
    columns = [
        "Solution", "Connections", "Outage", *_SPREAD, "Total", "Interruptions", "Each trial",
    ]  # fmt: skip
    table = [
        [
            cell.key.solution, str(cell.key.connections), outage_text(get(cell)),
            *spread(get(cell).summary, milli=True), total_text(get(cell)),
            interruptions_text(get(cell)), ", ".join(_each(point) for point in get(cell).points),
        ]
        for cell in cells
    ]  # fmt: skip
    return Figure(
        title,
        _outage_finding(cells, what, get),
        to_svg(charts.dots(rows, "seconds")),
        Table(
            title,
            columns,
            table,
            numeric=right(columns, "Solution", "Outage", "Interruptions", "Each trial"),
        ),
    )


def _outage_dot(cell: CellResult, outages: Outages, several: bool, names: Names) -> charts.Dot:
    def kind(noticed: bool, back: bool) -> str:
        return "bound" if not back else "trial" if noticed else "unnoticed"

    name = f"{cell.key.solution}, {cell.key.connections}" if several else cell.key.solution
    return charts.Dot(
        name,
        names.styles[cell.key.solution],
        scaled(outages.summary, 1e-3) if not outages.not_back else Summary(0),
        [(point.ms / 1000, kind(point.noticed, point.back)) for point in outages.points],
        outage_text(outages),
    )


def _each(point: OutagePoint) -> str:
    """One trial's longest interruption, and all together where there are several."""
    text = at_least(milliseconds(point.ms), not point.back, 1)
    return f"{text} of {milliseconds(point.total_ms)} in all" if point.number > 1 else text


def _outage_finding(
    cells: Sequence[CellResult], what: str, get: Callable[[CellResult], Outages]
) -> str:
    points = [(point, cell) for cell in cells for point in get(cell).points]
    back = [(point.ms, cell.key.solution) for point, cell in points if point.back]
    text = ""
    if back:
        least, most = min(back), max(back)
        text = (
            f"Where {what} came back, the outage lasted from {milliseconds(least[0])} ({least[1]})"
            f" to {milliseconds(most[0])} ({most[1]})."
        )
    gone = [cell for cell in cells if get(cell).not_back]
    if gone:
        parts = [
            f"{cell.key.solution} in {get(cell).not_back} of {count(len(get(cell).points), 'trial')}"
            for cell in gone
        ]
        text += f" {what.capitalize()} were {NOT_BACK} with {listed(parts)}."
    if len({cell.key.connections for cell in cells}) > 1:
        text += " Rows are named by solution and number of connections."
    return text.strip()
