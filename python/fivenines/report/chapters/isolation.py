"""Chapter `isolation` of the report."""

from fivenines.report import isolation
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, drawer, full


def chapter(data: Data) -> Section:
    """Anomalies of transactions, the first of each kind drawn."""
    found = isolation.isolation_table(data.done, data.names)
    examples = isolation.example_table(data.done, data.names)
    texts = []
    if found.rows and not examples.rows:
        texts = ["No violation of isolation was found in any trial."]
    drawers = drawer(examples.caption, examples)
    drawers += drawer("Notes of the checkers", isolation.note_table(data.done, data.names))
    figures = isolation.anomaly_figures(data.done, data.names)
    return Section("isolation", "Isolation of transactions", texts, full(found), figures, drawers)
