"""Chapter `counters` of the report."""

from fivenines.report import counters
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section


def chapter(data: Data) -> Section:
    """What was sampled beside the load, or is known of the solutions."""
    content = counters.chapter(data.run, data.done, data.names)
    return content.section("counters", "Servers and hosts")
