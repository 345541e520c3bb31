"""Chapter `clients` of the report: each client by itself, where there are several."""

from fivenines.analysis.clients import ClientResult, client_results
from fivenines.analysis.wording import NOTHING, mean_with_interval
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section
from fivenines.report.table import CELL, Table, right, without_empty

_SHOWN = {
    "tps": "Transactions per second",
    "latency_mean": "Mean response time",
    "latency_p99": "99th percentile",
    "outage_writes": "Writes away",
    "outage_reads": "Reads away",
}
"""What of a client is shown, as its column is called."""

_TEXT = (
    "Everywhere else the figures are of all clients together: rates are sums, and percentiles are of all \
their response times."
)


def chapter(data: Data) -> Section:
    """A row for each client of each cell."""
    found = Section("clients", "Clients")
    rows = [
        [cell.key.solution, data.names.label(cell.key), *_row(one)]
        for cell in data.done
        for one in client_results(cell.trials)
    ]
    if not rows:
        return found
    columns = [*CELL, "Client", "Site", "Writes to", "Workload", "Connections", *_SHOWN.values()]
    left = (*CELL, "Client", "Site", "Writes to", "Workload")
    table = Table("Each client", columns, rows, 3, right(columns, *left))
    for column in ("Writes away", "Reads away"):
        table = without_empty(table, column)
    return Section("clients", "Clients", [_TEXT], [table])


def _row(one: ClientResult) -> list[str]:
    client = one.client
    where = client.endpoint or "the access layer's choice"
    shown = [
        _text(one, name) if one.measures[name].n else "" if "away" in title else NOTHING
        for name, title in _SHOWN.items()
    ]
    return [client.name, client.site, where, client.workload, str(client.connections), *shown]


def _text(one: ClientResult, name: str) -> str:
    return mean_with_interval(one.measures[name], milli=name != "tps")
