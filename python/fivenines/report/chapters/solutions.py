"""Chapter `solutions` of the report."""

from fivenines.report import side_by_side
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section


def chapter(data: Data) -> Section:
    """What was sampled beside the load, or is known of the solutions."""
    content = side_by_side.chapter(data.run, data.done, data.names)
    return content.section("solutions", "Solutions side by side")
