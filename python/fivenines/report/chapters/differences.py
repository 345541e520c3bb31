"""Chapter `differences` of the report."""

from fivenines.analysis.comparisons import METRICS, Comparison, comparisons
from fivenines.analysis.wording import count
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, explained, folded
from fivenines.report.table import Table


def chapter(data: Data) -> Section:
    """Which differences between solutions are proven."""
    tables = difference_tables(data)
    n = sum(len(table.rows) for table in tables)
    if not n:
        return Section("differences", "Differences")
    shown = sum(one.difference.differs for one in _compared(data))
    of = " of outages and failovers" if data.blocks else ""
    text = f"{shown} of {count(n, 'comparison')}{of} between solutions show a difference."
    how = (
        "Each comparison has its own 95 % interval. Where service was not back in some trial, its outage is a"
        " lower bound, and only what is proven all the same is said."
    )
    drawers = [*folded(*tables), explained(how)]
    return Section("differences", "Differences", [text], drawers=drawers)


def _compared(data: Data) -> list[Comparison]:
    return comparisons(data.done, speed=not data.blocks)


def difference_tables(data: Data) -> list[Table]:
    """All pairs of solutions, one table for each measure, but for those that blocks compare."""
    found = _compared(data)
    tables = []
    for metric in METRICS:
        rows = [
            [data.names.label(comparison.a) or "all cells", comparison.text]
            for comparison in found
            if comparison.metric == metric.name
        ]
        if rows:
            tables.append(Table(metric.name.capitalize(), ["Conditions", "Finding"], rows))
    return tables
