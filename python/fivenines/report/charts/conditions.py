"""The chart of a decision without faults: throughput over the varying condition."""

from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance import distance
from fivenines.report.chapters.performance.speed import speed_figures
from fivenines.report.charts import tradeoff
from fivenines.report.groups import before_faults, groups_of
from fivenines.report.html.figures import Figure

CHAPTER = "decision"


def figures(data: Data) -> list[Figure]:
    """Return one chart, over the round trip or else over connections; [] if another chart says more.

    With faults that is speed against outage; with interleaved blocks, their ratios.
    """
    if data.blocks or tradeoff.figures(data):
        return []
    groups = groups_of(before_faults(data.cells), data.names)
    several = [group for group in groups if len({cell.key.connections for cell in group.cells}) > 1]
    drawn = distance.figures(data) or [
        figure for group in several[:1] for figure in speed_figures(group, data.names)
    ]
    return drawn[:1]
