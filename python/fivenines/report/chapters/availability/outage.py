"""Chapter `outage` of the report."""

from collections.abc import Sequence

from fivenines.analysis.availability.outages import OutagePoint, Outages
from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics.means import Summary, scaled
from fivenines.analysis.wording import NOT_ENDED, NOTHING, at_least, listed, mean_with_interval, milliseconds
from fivenines.report.chapters.availability.failover import representative
from fivenines.report.chapters.data import Data
from fivenines.report.charts import basic as charts
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Group, Names, groups_of
from fivenines.report.html.figures import DOTS_LEGEND, SPREAD, Figure, title_of
from fivenines.report.html.section import Drawer, Section
from fivenines.report.table import Table, right, without_empty
from fivenines.report.terminal.summary import (
    OUTAGES,
    Get,
    failover_text,
    interruptions_text,
    outage_text,
    spread,
    total_text,
)


def chapter(data: Data) -> Section:
    """Return outages, and a chart with each trial as a point in a drawer."""
    groups = groups_of(data.cells, data.names)
    figures = [figure for group in groups for figure in outage_figures(group, data.names)]
    trials = Drawer("Each trial as a point", texts=[OUTAGE_LEGEND], figures=figures)
    table = times_table(data)
    drawers = [trials] if figures else []
    if table.rows:
        drawers.insert(0, Drawer("Times after a fault compared", [table], texts=TIMES))
    return Section("outage", "Outages", drawers=drawers)


# How the times of the page differ: in short, and each of them.
TIMES = [
    "Times after a fault measure different things: the outage is the longest interruption, not their total, "
    "and not the time to the first write.",
    "Outage: the longest time without a successful write of an established session, also after a first "
    "recovery. All interruptions: the total of the trial, from which the downtime per year is computed. New "
    "connections: the longest time in which no connection could be opened and used. To the first write: from "
    "the fault to the first write after the first interruption; its phases are in the next chapter. To "
    "caught up: until throughput has recovered and no surviving replica is behind. Drawn trial: the outage "
    "of the trial in the chapter Second by second, the median of the trials.",
]


def times_table(data: Data) -> Table:
    """Return the times after a fault as means over the trials."""
    columns = [
        "Solution",
        "Conditions",
        "Outage",
        "All interruptions",
        "New connections",
        "To the first write",
        "To caught up",
        "Drawn trial",
    ]
    rows = [
        [
            cell.called,
            data.names.label(cell.key),
            outage_text(cell.writes),
            total_text(cell.writes),
            outage_text(cell.connections),
            failover_text(cell),
            _caught_up(cell),
            _drawn(cell),
        ]
        for cell in data.done
        if cell.faulted and cell.writes.points
    ]
    caption = (
        "Times after the fault, of writes unless stated; means over the trials except in the last column"
    )
    table = Table(caption, columns, rows, 2, right(columns, "Solution", "Conditions"))
    return without_empty(table, "Conditions")


def _caught_up(cell: CellResult) -> str:
    """Return the time until caught up, for the first fault of a trial."""
    whole = cell.faults[0].whole if cell.faults else Summary(0)
    return mean_with_interval(whole, milli=True, why=NOT_ENDED)


def _drawn(cell: CellResult) -> str:
    shown = representative(cell)
    writes = shown.availability.writes if shown and shown.availability else None
    return NOTHING if writes is None else at_least(milliseconds(writes.ms), not writes.back, 1)


OUTAGE_LEGEND = (
    DOTS_LEGEND + " A dash is a trial whose longest gap was no longer than an ordinary pause. A triangle is a"
    " trial without recovery until the end of the load: a lower bound."
)


def outage_figures(group: Group, names: Names) -> list[Figure]:
    """Return charts of the outages of writes, new connections and reads, each trial as a point."""
    figures = []
    for what, get in OUTAGES.items():
        cells = [cell for cell in group.cells if get(cell).points]
        if cells:
            figures.append(_outage_figure(group, cells, what, get, names))
    return figures


def _outage_figure(group: Group, cells: Sequence[CellResult], what: str, get: Get, names: Names) -> Figure:
    several = len({cell.key.connections for cell in cells}) > 1
    rows = [_outage_dot(cell, get(cell), several, names) for cell in cells]
    title = title_of(f"Outage of {what}, each trial", group)
    columns = ["Solution", "Connections", "Outage", *SPREAD, "Total", "Interruptions", "Each trial"]
    table = [
        [
            cell.key.solution,
            str(cell.key.connections),
            outage_text(get(cell)),
            *spread(get(cell).summary, milli=True),
            total_text(get(cell)),
            interruptions_text(get(cell)),
            ", ".join(_each(point) for point in get(cell).points),
        ]
        for cell in cells
    ]
    return Figure(
        title,
        _outage_finding(cells, what, get),
        to_svg(charts.dots(rows, "seconds")),
        Table(
            title, columns, table, numeric=right(columns, "Solution", "Outage", "Interruptions", "Each trial")
        ),
    )


def _outage_dot(cell: CellResult, outages: Outages, several: bool, names: Names) -> charts.Dot:
    def kind(noticed: bool, back: bool) -> str:
        return "bound" if not back else "trial" if noticed else "unnoticed"

    name = f"{cell.key.solution}, {cell.key.connections}" if several else cell.key.solution
    return charts.Dot(
        name,
        names.styles[cell.key.solution],
        scaled(outages.summary, 1e-3) if not outages.not_recovered else Summary(0),
        [(point.ms / 1000, kind(point.noticed, point.back)) for point in outages.points],
        outage_text(outages),
    )


def _each(point: OutagePoint) -> str:
    """Return a trial's longest interruption, with the total if there are several."""
    text = at_least(milliseconds(point.ms), not point.back, 1)
    return f"{text} of {milliseconds(point.total_ms)} in total" if point.number > 1 else text


def _outage_finding(cells: Sequence[CellResult], what: str, get: Get) -> str:
    points = [(point, cell) for cell in cells for point in get(cell).points]
    back = [(point.ms, cell.key.solution) for point, cell in points if point.back]
    text = ""
    if back:
        least, most = min(back), max(back)
        text = (
            f"Where {what} recovered, the outage lasted from {milliseconds(least[0])} ({least[1]})"
            f" to {milliseconds(most[0])} ({most[1]})."
        )
    unrecovered = [cell for cell in cells if get(cell).not_recovered]
    if unrecovered:
        parts = [
            f"{cell.key.solution} in {get(cell).not_recovered} of {get(cell).counted}" for cell in unrecovered
        ]
        text += f" {what.capitalize()} did not recover with {listed(parts)}."
    if len({cell.key.connections for cell in cells}) > 1:
        text += " Rows are named by solution and number of connections."
    return text.strip()
