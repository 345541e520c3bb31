"""Chapter `transactions` of the report."""

from fivenines.report import transactions
from fivenines.report.chapters.data import Data
from fivenines.report.groups import workload_kinds
from fivenines.report.section import Drawer, Section, full

_OPEN = 4
"""So many tables of transaction types are shown open."""


def chapter(data: Data) -> Section:
    """How each type of transaction did; a few tables are open, many are folded away."""
    tables = transactions.type_tables(data.done, data.names, workload_kinds(data.run))
    few = len(tables) <= _OPEN
    loops = full(
        transactions.schedule_table(data.done, data.names),
        transactions.step_table(data.done, data.names),
    )
    connects = full(transactions.connect_table(data.done, data.names))
    drawers = [] if few else [Drawer(table.caption, [table]) for table in tables]
    drawers += [Drawer("Connecting", connects)] if connects else []
    return Section(
        "transactions", "Types of transactions and the schedule", [],
        [*loops, *(tables if few else [])], drawers=drawers,
    )  # fmt: skip
