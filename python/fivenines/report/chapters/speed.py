"""Chapter `speed` of the report."""

from fivenines.analysis.cells import CellResult
from fivenines.report import stalls
from fivenines.report.chapters.data import Data
from fivenines.report.figures import DOTS_LEGEND, LINES_LEGEND, speed_figures
from fivenines.report.groups import before_faults, groups_of
from fivenines.report.section import Section, full


def chapter(data: Data) -> Section:
    """Of the steady window."""
    groups = groups_of(before_faults(data.cells), data.names)
    figures = [figure for group in groups for figure in speed_figures(group, data.names)]
    texts = [_legend(data.done)] if figures else []
    lost = full(stalls.table(data.done, data.names))
    texts += [stalls.LEGEND] if lost else []
    title = "Throughput and response time before the fault"
    return Section("speed", title, texts, lost, figures)


def _legend(cells: list[CellResult]) -> str:
    return LINES_LEGEND if len({cell.key.connections for cell in cells}) > 1 else DOTS_LEGEND
