"""Chapter `differences` of the report."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.comparisons import METRICS, comparisons
from fivenines.analysis.wording import count
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names
from fivenines.report.section import Section, folded
from fivenines.report.table import Table


def chapter(data: Data) -> Section:
    """Which differences between solutions are proven."""
    tables = difference_tables(data.done, data.names, speed=not data.duets)
    n = sum(len(table.rows) for table in tables)
    if not n:
        return Section("differences", "Differences between solutions")
    text = (
        f"{count(n, 'comparison')}, each with its own 95 % interval. Where service was not back in some"
        " trial, its outage is a lower bound, and only what is proven all the same is said."
    )
    first, *rest = tables
    title = "Differences between solutions"
    return Section("differences", title, [text], [first], [], folded(*rest))


def difference_tables(
    cells: Sequence[CellResult], names: Names, *, speed: bool = True
) -> list[Table]:
    """All pairs of solutions, one table for each measure; `speed`: also of those that duets compare."""
    found = comparisons(cells, speed=speed)
    tables = []
    for metric in METRICS:
        rows = [
            [names.label(comparison.a) or "all cells", comparison.text]
            for comparison in found
            if comparison.metric == metric.name
        ]
        if rows:
            tables.append(Table(metric.name.capitalize(), ["Conditions", "Finding"], rows))
    return tables
