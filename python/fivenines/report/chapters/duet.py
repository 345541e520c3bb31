"""Chapter `duet` of the report."""

from fivenines.report import duet
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, full


def chapter(data: Data) -> Section:
    """Solutions that were up at once and loaded in turn."""
    tables = full(duet.ratio_table(data.duets), duet.side_table(data.duets))
    return Section("duet", duet.TITLE, duet.texts(data.duets), tables, duet.figures(data.duets))
