"""Chapter `truth` of the report."""

from fivenines.report import truth
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, drawer, full


def chapter(data: Data) -> Section:
    """What reads and nodes showed beside what was true."""
    differences = truth.difference_table(data.done, data.names)
    compared = truth.divergence_table(data.done, data.names)
    tables = full(
        truth.read_table(data.done, data.names), truth.view_table(data.done, data.names), compared
    )
    texts = []
    if compared.rows and not differences.rows:
        texts = ["All tables are the same on all nodes that could be compared, in every trial."]
    order, left_out = (
        truth.order_table(data.done, data.names),
        truth.left_out_table(data.done, data.names),
    )
    tables += full(truth.execution_table(data.done, data.names))
    drawers = [
        one for table in (differences, order, left_out) for one in drawer(table.caption, table)
    ]
    title = "Stale reads, sessions, and nodes that differ"
    return Section("truth", title, texts if tables else [], tables, [], drawers)
