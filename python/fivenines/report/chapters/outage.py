"""Chapter `outage` of the report."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.outages import OutagePoint, Outages
from fivenines.analysis.statistics import Summary, scaled
from fivenines.analysis.wording import (
    NOT_BACK,
    at_least,
    count,
    listed,
    milliseconds,
)
from fivenines.report.chapters.data import Data
from fivenines.report.charts import basic as charts
from fivenines.report.charts.svg import to_svg
from fivenines.report.figures import DOTS_LEGEND, SPREAD, Figure, title_of
from fivenines.report.groups import Group, Names, groups_of
from fivenines.report.section import Drawer, Section
from fivenines.report.summary import (
    OUTAGES,
    Get,
    interruptions_text,
    outage_text,
    spread,
    total_text,
)
from fivenines.report.table import Table, right


def chapter(data: Data) -> Section:
    """How long; each trial as a point in a drawer."""
    groups = groups_of(data.cells, data.names)
    figures = [figure for group in groups for figure in outage_figures(group, data.names)]
    trials = Drawer("Each trial as a point", texts=[OUTAGE_LEGEND], figures=figures)
    drawers = [trials] if figures else []
    return Section("outage", "Outages", drawers=drawers)


OUTAGE_LEGEND = (
    DOTS_LEGEND + " A dash is a trial whose longest gap was no longer than an ordinary pause, a"
    " triangle one without service until the end of the load: a lower bound."
)


def outage_figures(group: Group, names: Names) -> list[Figure]:
    """The outages of writes, of new connections and of reads of a group, each trial a point."""
    figures = []
    for what, get in OUTAGES.items():
        cells = [cell for cell in group.cells if get(cell).points]
        if cells:
            figures.append(_outage_figure(group, cells, what, get, names))
    return figures


def _outage_figure(
    group: Group, cells: Sequence[CellResult], what: str, get: Get, names: Names
) -> Figure:
    several = len({cell.key.connections for cell in cells}) > 1
    rows = [_outage_dot(cell, get(cell), several, names) for cell in cells]
    title = title_of(f"Outage of {what}, each trial", group)
    columns = [
        "Solution", "Connections", "Outage", *SPREAD, "Total", "Interruptions", "Each trial",
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


def _outage_finding(cells: Sequence[CellResult], what: str, get: Get) -> str:
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
