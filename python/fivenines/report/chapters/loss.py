"""Chapter `loss` of the report."""

from fivenines.report import details
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, drawer, full, is_long


def chapter(data: Data) -> Section:
    """Acknowledged rows that are missing."""
    checked = details.loss_table(data.done, data.names)
    lost = details.lost_ids_table(data.done, data.names)
    if not checked.rows:
        return Section("loss", "Lost rows")
    texts = [] if lost.rows else ["No acknowledged row is missing on any node that could be read."]
    unreadable = details.unreadable_nodes(data.done, data.names)
    drawers = [
        *(drawer("Lost rows of each trial, by node and id", lost) if is_long(lost) else []),
        *(drawer(unreadable.caption, unreadable) if is_long(unreadable) else []),
    ]
    tables = full(checked, *(each for each in (lost, unreadable) if not is_long(each)))
    return Section("loss", "Lost rows", texts, tables, drawers=drawers)
