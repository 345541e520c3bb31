"""Chapter `distance` of the report."""

from fivenines.report import distance
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, drawer


def chapter(data: Data) -> Section:
    """What distance between sites costs."""
    drawn = distance.figures(data.run, data.done, data.names)
    wire = drawer(
        "What goes over the wire between sites",
        distance.wire_table(data.run, data.done, data.names),
    )
    title = "Throughput and response time against distance"
    return Section("distance", title, [distance.LEGEND] if drawn else [], [], drawn, wire)
