"""Chapter `outage` of the report."""

from fivenines.report.chapters.data import Data
from fivenines.report.figures import OUTAGE_LEGEND, outage_figures
from fivenines.report.groups import groups_of
from fivenines.report.section import Section


def chapter(data: Data) -> Section:
    """A dot for each."""
    groups = groups_of(data.cells, data.names)
    figures = [figure for group in groups for figure in outage_figures(group, data.names)]
    texts = [OUTAGE_LEGEND] if figures else []
    return Section("outage", "Outages, trial by trial", texts, figures=figures)
