"""Chapter `delay` of the report."""

from fivenines.report import delay
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section


def chapter(data: Data) -> Section:
    """What was sampled beside the load, or is known of the solutions."""
    content = delay.chapter(data.run, data.done, data.names)
    return content.section("delay", "Replication delay: what servers say, and the truth")
