"""The key columns that join the tables of a trial, and the format of times."""

from typing import Any

from fivenines.report.export.attempts import Attempt
from fivenines.report.export.columns import Column, seen_by

# The key of a complete trial. Broken attempts share their trial's id, and have rows in `trials` only.
KEYS: list[Column[Attempt]] = [
    Column("run", "VARCHAR", "", "the run, as in `runs`", lambda one: one.of.name),
    Column("trial", "VARCHAR", "", "id of the trial within the run", lambda one: one.id),
]

# The cell of a trial.
CELL: list[Column[Attempt]] = [
    Column("solution", "VARCHAR", "", "name of the solution", lambda one: one.cell.solution),
    Column("workload", "VARCHAR", "", "name of the workload", lambda one: one.cell.workload),
    Column("connections", "BIGINT", "", "connections of the load", lambda one: one.cell.connections),
    Column("network", "VARCHAR", "", "name of the network", lambda one: one.cell.network),
    Column("fault", "VARCHAR", "", "name of the fault, or `none`", lambda one: one.cell.fault),
]


def of_trial() -> list[Column[Any]]:
    """Return the key columns for rows whose attribute `of` is their trial."""
    return seen_by(KEYS, lambda row: row.of)


def moment(text: str) -> str | None:
    """Return a time in ISO 8601 and UTC as DuckDB reads it; None for an empty text."""
    return text.removesuffix("Z").removesuffix("+00:00") or None


def from_fault(of: Attempt, t_ms: float) -> float | None:
    """Return a time of the load, in ms from the trial's first fault; None without a fault."""
    return None if of.fault_at is None else t_ms - of.fault_at
