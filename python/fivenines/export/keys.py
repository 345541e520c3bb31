"""The columns by which rows of a trial's tables are joined, and moments as they are exported."""

from typing import Any

from fivenines.export.attempts import Attempt
from fivenines.export.columns import Column, seen_by

KEYS: list[Column[Attempt]] = [
    Column("run", "VARCHAR", "", "the run, as in `runs`", lambda one: one.of.name),
    Column("trial", "VARCHAR", "", "id of the trial within the run", lambda one: one.id),
]
"""What names a complete trial; broken attempts share their trial's id, and have rows in `trials` alone."""

CELL: list[Column[Attempt]] = [
    Column("solution", "VARCHAR", "", "name of the solution", lambda one: one.cell.solution),
    Column("workload", "VARCHAR", "", "name of the workload", lambda one: one.cell.workload),
    Column("connections", "BIGINT", "", "connections of the load", lambda one: one.cell.connections),
    Column("network", "VARCHAR", "", "name of the network", lambda one: one.cell.network),
    Column("fault", "VARCHAR", "", "name of the fault, or `none`", lambda one: one.cell.fault),
]
"""The cell of a trial."""


def of_trial() -> list[Column[Any]]:
    """The same of a row that has its trial as `of`."""
    return seen_by(KEYS, lambda row: row.of)


def moment(text: str) -> str | None:
    """ISO 8601 in UTC as DuckDB reads it; None where there is nothing."""
    return text.removesuffix("Z").removesuffix("+00:00") or None


def from_fault(of: Attempt, t_ms: float) -> float | None:
    """A moment of the load as counted from the trial's first fault; None without any."""
    return None if of.fault_at is None else t_ms - of.fault_at
