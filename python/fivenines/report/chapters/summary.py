"""Chapter `summary` of the report."""

from fivenines.analysis.measures.measures import noun
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Drawer, Section
from fivenines.report.table import CELL, Table, right
from fivenines.report.terminal.summary import spread, summary_table


def chapter(data: Data) -> Section:
    """Return all cells, also those without a complete trial."""
    every = Drawer("All measures with spread", [spread_table(data)])
    text = "Means of the complete trials of each cell; ranges in brackets are 95 % intervals."
    if not data.done:
        text = "No cell has a complete trial."
    table = summary_table(data.cells)
    # With one condition the first screen has the table.
    single = len({data.names.label(cell.key) for cell in data.cells}) < 2
    shown, drawers = ([], [Drawer("All cells", [table])]) if single else ([table], [])
    return Section("summary", "All cells", [text], shown, [], [*drawers, every])


def spread_table(data: Data) -> Table:
    """Return every measure of every cell with n, mean, standard deviation, variation and interval."""
    columns = [*CELL, "Measure", "n", "Mean", "Standard deviation", "Variation", "95 % interval"]
    rows = []
    for cell in data.done:
        measures = [
            ("transactions/s", cell.tps, False),
            ("queries/s", cell.qps, False),
            *((f"response, {name}", cell.latency[key], True) for key, name in _LATENCIES.items()),
            ("stalls before the fault, longest", cell.stalls.longest, True),
            ("stalls before the fault, total", cell.stalls.total, True),
            (noun("outage_writes"), cell.writes.summary, True),
            (f"{noun('outage_writes')}, total", cell.writes.total, True),
            (noun("outage_connections"), cell.connections.summary, True),
            (f"{noun('outage_connections')}, total", cell.connections.total, True),
            (noun("outage_reads"), cell.reads.summary, True),
            (f"{noun('outage_reads')}, total", cell.reads.total, True),
            (noun("failover"), cell.failover.summary, True),
            ("deployment, s", cell.deployment, False),
        ]
        rows += [
            [cell.key.solution, data.names.label(cell.key), name, *spread(summary, milli)]
            for name, summary, milli in measures
            if summary.n
        ]
    caption = "All measures of all cells"
    return Table(caption, columns, rows, 3, right(columns, *CELL, "Measure"))


_LATENCIES = {"mean": "mean", "p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9", "max": "maximum"}
