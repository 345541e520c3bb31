"""Chapter `summary` of the report."""

from fivenines.report import details
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, drawer, full
from fivenines.report.summary import row, summary_table


def chapter(data: Data) -> Section:
    """All cells, also those without a complete trial."""
    overview = full(summary_table([row(cell) for cell in data.cells]))
    spread = details.spread_table(data.done, data.names)
    return Section(
        "summary",
        "Summary",
        tables=overview,
        drawers=drawer("All measures with their spread", spread),
    )
