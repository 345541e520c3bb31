"""Chapter `split` of the report."""

from fivenines.report import split_brain
from fivenines.report.chapters.data import Data
from fivenines.report.groups import names_of
from fivenines.report.section import Section, full


def chapter(data: Data) -> Section:
    """Split brains, which the top of the page tells of, too."""
    table = split_brain.split_table(data.swept.measured, names_of(data.swept.measured))
    return Section("split", "Split brain", [split_brain.LEGEND] if table.rows else [], full(table))
