"""TEST ONLY: list-append and bank histories, written down in short or simulated."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from fivenines.analysis.consistency.isolation.lists import check_lists
from fivenines.results import layout
from fivenines.results.records import Anomaly, Isolation

# append or read, key, the value or the list read (None: not known).
Operation = tuple[str, int, int | list[int] | None]

_connection = duckdb.connect(config={"threads": 1})
_OPERATION = re.compile(r"([ar])([a-z])(-|\d*)")


@dataclass(frozen=True)
class Txn:
    """A transaction as its client knows it."""

    number: int
    operations: Sequence[Operation]
    outcome: str = "ok"
    started: int = 0
    completed: int = 1


def txn(number: int, text: str, outcome: str = "ok", started: int = 0, completed: int = 1) -> Txn:
    """Return a transaction in Elle's short form: "ax1ry12" appends 1 to x and reads y as [1, 2]; "ry-":
    unknown.
    """
    operations: list[Operation] = []
    for kind, key, digits in _OPERATION.findall(text):
        name = ord(key) - ord("a")
        if kind == "a":
            operations.append(("append", name, int(digits)))
        else:
            operations.append(("read", name, None if digits == "-" else [*map(int, digits)]))
    return Txn(number, operations, outcome, started, completed)


def rows(txns: Sequence[Txn]) -> list[tuple[object, ...]]:
    """Return the rows of the table `history`."""
    return [
        (
            txn.number,
            txn.number % 7,
            "lists",
            txn.started,
            txn.completed,
            txn.outcome,
            position,
            kind,
            key,
            value if kind == "append" else None,
            ",".join(map(str, value)) if isinstance(value, list) else None,
        )
        for txn in txns
        for position, (kind, key, value) in enumerate(txn.operations)
    ]


def history(connection: duckdb.DuckDBPyConnection, table: Sequence[tuple[object, ...]]) -> None:
    """Make the relation `history` of such rows."""
    columns = ", ".join(f"{name} {kind}" for name, kind in layout.TABLES["history"].items())
    connection.execute(f"CREATE OR REPLACE TABLE history ({columns})")
    if table:  # as text: a statement for each row would take the longest part of a test
        lines = ", ".join(f"({', '.join(map(_literal, row))})" for row in table)
        connection.execute(f"INSERT INTO history VALUES {lines}")


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value)


def judged(*txns: Txn, search: float = 10.0) -> Isolation:
    """Return what the checker says about these transactions."""
    history(_connection, rows(txns))
    result = check_lists(_connection, search)
    assert result is not None
    return result


def example(isolation: Isolation, kind: str) -> Anomaly:
    """Return the first anomaly of a kind."""
    return next(anomaly for anomaly in isolation.examples if anomaly.kind == kind)
