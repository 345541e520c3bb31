"""Chapter `trust` of the report."""

from fivenines.report import calibration
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, drawer, full


def chapter(data: Data) -> Section:
    """What the machine's calibration had found; said, too, where there is none."""
    short = calibration.overview_table(data.run.manifest.calibration)
    table = calibration.calibration_table(data.run.manifest.calibration)
    texts = calibration.texts(data.run.manifest)
    return Section("trust", calibration.TITLE, texts, full(short), [], drawer(table.caption, table))
