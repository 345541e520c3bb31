"""Chapter `phases` of the report."""

from fivenines.report import phases
from fivenines.report.chapters.data import Data
from fivenines.report.groups import groups_of
from fivenines.report.phase_figures import LEGEND, phase_figures
from fivenines.report.section import Section, drawer, full


def chapter(data: Data) -> Section:
    """What the failover times consist of, and what the faults did besides the outage."""
    groups = groups_of(data.done, data.names)
    figures = [figure for group in groups for figure in phase_figures(group, data.names)]
    tables = full(phases.effects_table(data.done, data.names))
    drawers = drawer("Marks out of their order", phases.notes_table(data.done, data.names))
    texts = [LEGEND] if figures else []
    return Section("phases", "Failover by phase", texts, tables, figures, drawers)
