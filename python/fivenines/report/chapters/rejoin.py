"""Chapter `rejoin` of the report."""

from fivenines.analysis.wording import count
from fivenines.report import details
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, full


def chapter(data: Data) -> Section:
    """Nodes that did not become members again."""
    table = details.rejoin_table(data.done, data.names)
    restarted = [
        trial
        for cell in data.done
        for trial in cell.trials
        if any(fault.rejoined is not None for fault in trial.record.faults)
    ]
    texts = []
    if restarted and not table.rows:
        texts = [f"The restarted node rejoined in all {count(len(restarted), 'trial')}."]
    return Section("rejoin", "Nodes that did not rejoin, and why", texts, full(table))
