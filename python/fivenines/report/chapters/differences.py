"""Chapter `differences` of the report."""

from fivenines.analysis.wording import count
from fivenines.report import details
from fivenines.report.chapters.data import Data
from fivenines.report.section import Drawer, Section


def chapter(data: Data) -> Section:
    """Which differences between solutions are proven."""
    tables = details.difference_tables(data.done, data.names, speed=not data.duets)
    n = sum(len(table.rows) for table in tables)
    if not n:
        return Section("differences", "Differences between solutions")
    text = (
        f"{count(n, 'comparison')}, each with its own 95 % interval. Where service was not back in some"
        " trial, its outage is a lower bound, and only what is proven all the same is said."
    )
    first, *rest = tables
    drawers = [Drawer(table.caption, [table]) for table in rest]
    return Section("differences", "Differences between solutions", [text], [first], [], drawers)
