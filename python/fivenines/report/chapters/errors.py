"""Chapter `errors` of the report."""

from fivenines.report import details, sharing
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, full


def chapter(data: Data) -> Section:
    """Of the load generator, of the machine, and by class of error."""
    limits = full(
        details.bottleneck_table(data.done, data.names),
        sharing.table(data.done, data.names),
        details.errors_table(data.done, data.names),
    )
    return Section("errors", "Errors and limits of the load", tables=limits)
