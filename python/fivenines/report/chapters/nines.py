"""Chapter `nines` of the report."""

from fivenines.analysis.nines import assumed_mtbf, availabilities
from fivenines.report import nines
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, full


def chapter(data: Data) -> Section:
    """The availability that follows from the outages."""
    found = availabilities(data.done, assumed_mtbf(data.run))
    tables = full(nines.nines_table(found, data.names))
    return Section("nines", "Availability and nines", nines.texts(found), tables)
