"""Chapter `clients` of the report: figures of each client, if there are several."""

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measured import values_of
from fivenines.analysis.measures.measures import MEASURES, noun
from fivenines.analysis.performance.clients import ClientResult, client_results
from fivenines.analysis.wording import NOTHING, count, listed, mean_with_interval
from fivenines.report.chapters.data import Data
from fivenines.report.charts.basic import Dot, dots
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Names, groups_of
from fivenines.report.html.figures import DOTS_LEGEND, SPREAD, Figure, title_of
from fivenines.report.html.section import Section, explained, in_row
from fivenines.report.table import CELL, Table, right, without_empty
from fivenines.report.terminal.summary import spread
from fivenines.results.records import CellKey

# The measures of a client, with the heads of their columns.
_SHOWN = {
    "tps": "Transactions per second",
    "latency_mean": "Mean response time",
    "latency_p99": "99th percentile",
    "outage_writes": "Writes unavailable",
    "outage_reads": "Reads unavailable",
}

# The measures in charts, with title and axis.
_DRAWN = {
    "tps": ("Throughput of each client", noun("tps")),
    "latency_p99": ("Response time of each client, 99th percentile", MEASURES["latency_p99"].unit),
}


_Clients = list[tuple[CellResult, ClientResult]]

_TEXT = (
    "Other chapters show all clients together: rates are sums, and percentiles cover the response times of"
    " all clients."
)


def chapter(data: Data) -> Section:
    """Return charts that compare the clients, and a row for each client of each cell."""
    clients = [(cell, one) for cell in data.done for one in client_results(cell.trials)]
    if not clients:
        return Section("clients", "Clients")
    rows = [[cell.key.solution, data.names.label(cell.key), *_row(one)] for cell, one in clients]
    columns = [*CELL, "Client", "Site", "Writes to", "Workload", "Connections", *_SHOWN.values()]
    left = (*CELL, "Client", "Site", "Writes to", "Workload")
    table = Table("Each client", columns, rows, 3, right(columns, *left))
    for column in ("Writes unavailable", "Reads unavailable"):
        table = without_empty(table, column)
    shown, others = in_row(_figures(data, clients), "The other conditions")
    drawers = [*others, *([explained(DOTS_LEGEND)] if shown else [])]
    return Section("clients", "Clients", [_TEXT], [table], shown, drawers)


def _figures(data: Data, clients: _Clients) -> list[Figure]:
    """Return the charts of each condition; only clients of one condition are comparable."""
    figures = []
    for group in groups_of(data.done, data.names):
        keys = {cell.key for cell in group.cells}
        of_group = [(cell, one) for cell, one in clients if cell.key in keys]
        for measure, (title, axis) in _DRAWN.items():
            measured = [(cell, one) for cell, one in of_group if one.measures[measure].n]
            if measured:
                figures.append(_figure(measured, measure, (title_of(title, group), axis), data.names))
    return figures


def _figure(clients: _Clients, measure: str, words: tuple[str, str], names: Names) -> Figure:
    """Return a chart with a row for each client; `words` are the title and the unit."""
    title, axis = words
    milli = MEASURES[measure].milli
    called = _called([(cell.key, one.client.name) for cell, one in clients])
    summaries = [one.measures[measure] for _, one in clients]
    means = [mean_with_interval(summary, milli) for summary in summaries]
    rows = [
        Dot(name, names.styles[cell.key.solution], summary, _trials(one, measure), mean)
        for name, summary, mean, (cell, one) in zip(called, summaries, means, clients, strict=True)
    ]
    columns = ["Client", *SPREAD]
    figures = [[name, *spread(of, milli)] for name, of in zip(called, summaries, strict=True)]
    table = Table(f"{title} ({axis})", columns, figures, numeric=right(columns, "Client"))
    values = [f"{name} {mean.partition(' (')[0]}" for name, mean in zip(called, means, strict=True)]
    finding = f"{listed(values)}{'' if milli else f' {axis}'}."
    return Figure(title, finding, to_svg(dots(rows, axis)), table)


def _called(clients: list[tuple[CellKey, str]]) -> list[str]:
    """Return the name of each client, with solution and connections if these vary."""
    solutions = len({key.solution for key, _ in clients}) > 1
    steps = len({key.connections for key, _ in clients}) > 1
    return [
        ", ".join(
            [
                name,
                *([key.solution] if solutions else []),
                *([count(key.connections, "connection")] if steps else []),
            ]
        )
        for key, name in clients
    ]


def _trials(one: ClientResult, measure: str) -> list[tuple[float, str]]:
    values = [value for value in values_of(measure, one.trials) if value is not None]
    return [(value, "trial") for value, _ in values]


def _row(one: ClientResult) -> list[str]:
    client = one.client
    where = client.endpoint or "the access layer's choice"
    shown = [
        _text(one, name) if one.measures[name].n else "" if "unavailable" in title else NOTHING
        for name, title in _SHOWN.items()
    ]
    return [client.name, client.site, where, client.workload, str(client.connections), *shown]


def _text(one: ClientResult, name: str) -> str:
    return mean_with_interval(one.measures[name], milli=MEASURES[name].milli)
