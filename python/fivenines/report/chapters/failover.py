"""Chapter `failover` of the report."""

from fivenines.analysis.wording import count
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section
from fivenines.report.timelines import LEGEND, timeline_figures


def chapter(data: Data) -> Section:
    """Failover, second by second."""
    figures, left_out = timeline_figures(data.done, data.names)
    texts = [LEGEND] if figures else []
    if left_out:
        texts.append(
            f"{count(left_out, 'cell')} with fewer connections are left out here to keep the file"
            " small; their figures are in the tables."
        )
    return Section("failover", "Failover, second by second", texts, figures=figures)
