"""Chapter `rejoin` of the report."""

from fivenines.analysis.wording import count
from fivenines.report.answers import rejoin_failures
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section
from fivenines.report.table import Table


def chapter(data: Data) -> Section:
    """Nodes that did not become members again."""
    table = rejoin_table(data)
    restarted = [
        trial
        for cell in data.done
        for trial in cell.trials
        if any(fault.rejoined is not None for fault in trial.record.faults)
    ]
    texts = []
    if restarted and not table.rows:
        texts = [f"The restarted node rejoined in all {count(len(restarted), 'trial')}."]
    return Section("rejoin", "Nodes that did not rejoin, and why", texts, [table])


def rejoin_table(data: Data) -> Table:
    """Nodes that did not rejoin, and why."""
    rows = [
        [trial, data.names.full(cell.key), node, reason]
        for cell, trial, node, reason in rejoin_failures(data.done)
    ]
    return Table("Nodes that did not rejoin", ["Trial", "Cell", "Node", "Why"], rows)
