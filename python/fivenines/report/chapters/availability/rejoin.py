"""Chapter `rejoin` of the report."""

from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Section, folded, is_long
from fivenines.report.sentences.answers import rejoin_failures
from fivenines.report.table import Table


def chapter(data: Data) -> Section:
    """Return the nodes that did not rejoin; empty if all did."""
    table, title = rejoin_table(data), "Nodes that did not rejoin"
    if is_long(table):
        return Section("rejoin", title, drawers=folded(table))
    return Section("rejoin", title, tables=[table])


def rejoin_table(data: Data) -> Table:
    """Return the nodes that did not rejoin, with the reasons."""
    rows = [
        [trial, data.names.full(cell.key), node, reason]
        for cell, trial, node, reason in rejoin_failures(data.done)
    ]
    return Table("Nodes that did not rejoin", ["Trial", "Cell", "Node", "Reason"], rows)
