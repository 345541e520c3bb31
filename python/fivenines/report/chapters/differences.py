"""Chapter `differences` of the report."""

from fivenines.analysis.comparisons import METRICS, Comparison, comparisons
from fivenines.analysis.wording import count
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Section, explained, folded
from fivenines.report.table import Table


def chapter(data: Data) -> Section:
    """Return the differences between solutions that the run shows."""
    tables = difference_tables(data)
    n = sum(len(table.rows) for table in tables)
    if not n:
        return Section("differences", "Differences")
    shown = sum(one.difference.differs for one in _compared(data))
    of = " of outages and failovers" if data.blocks else ""
    text = f"{shown} of {count(n, 'comparison')}{of} between solutions show a difference."
    how = (
        "Each comparison has a separate 95 % interval. If service did not recover in some trial, its outage"
        " is a lower bound, and the comparison states only what the bound proves."
    )
    drawers = [*folded(*tables), explained(how)]
    return Section("differences", "Differences", [text], drawers=drawers)


def _compared(data: Data) -> list[Comparison]:
    return comparisons(data.done, speed=not data.blocks)


def difference_tables(data: Data) -> list[Table]:
    """Return all pairs of solutions, a table for each measure, except measures that blocks compare."""
    every = _compared(data)
    tables = []
    for metric in METRICS:
        rows = [
            [data.names.label(comparison.a) or "all cells", comparison.text]
            for comparison in every
            if comparison.metric == metric.name
        ]
        if rows:
            tables.append(Table(metric.name.capitalize(), ["Conditions", "Finding"], rows))
    return tables
