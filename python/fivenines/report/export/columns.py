"""Columns of an exported table: name, type, unit and meaning next to the code that fills them.

A value that is only a lower bound (service had not recovered when the load ended) is never in a column of
values: that column is NULL, and the column `..._at_least_...` has the bound.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

# The source of a row.
S = TypeVar("S")

Type = Literal["BIGINT", "BIGINT[]", "BOOLEAN", "DOUBLE", "JSON", "TIMESTAMP", "VARCHAR", "VARCHAR[]"]

# A value, and whether it is a lower bound.
Known = tuple[float, bool]


@dataclass(frozen=True)
class Column(Generic[S]):
    """A column of an exported table.

    Attributes:
        name: name in the file.
        type: type of DuckDB.
        unit: unit of the values; empty without one.
        meaning: description for the reference.
        get: returns the value for a row's source; None becomes NULL.
    """

    name: str
    type: Type
    unit: str
    meaning: str
    get: Callable[[S], Any]


@dataclass(frozen=True)
class ExportTable(Generic[S]):
    """A table of the file; `row` describes a row."""

    name: str
    row: str
    columns: Sequence[Column[S]]

    def values(self, source: S) -> dict[str, Any]:
        """Return a row by column name."""
        return {column.name: _plain(column.get(source)) for column in self.columns}


T = TypeVar("T")


def seen_by(columns: Iterable[Column[S]], source: Callable[[T], S]) -> list[Column[T]]:
    """Return the columns for rows from which `source` returns the columns' source."""

    def of(column: Column[S]) -> Column[T]:
        def get(row: T) -> Any:
            return column.get(source(row))

        return Column(column.name, column.type, column.unit, column.meaning, get)

    return [of(one) for one in columns]


def bounded(stem: str, unit: str, meaning: str, get: Callable[[S], Known | None]) -> Iterable[Column[S]]:
    """Yield three columns for a figure that may be a lower bound: value, bound, and whether it is a bound."""

    def value(source: S) -> float | None:
        known = get(source)
        return None if known is None or known[1] else known[0]

    def at_least(source: S) -> float | None:
        known = get(source)
        return None if known is None else known[0]

    def is_bound(source: S) -> bool | None:
        known = get(source)
        return None if known is None else known[1]

    name = f"{stem}_{unit}"
    yield Column(name, "DOUBLE", unit, f"{meaning}; NULL if only a lower bound is known", value)
    yield Column(
        f"{stem}_at_least_{unit}",
        "DOUBLE",
        unit,
        f"`{name}`, or its observed part if it had not ended",
        at_least,
    )
    yield Column(
        f"{stem}_is_bound", "BOOLEAN", "", f"whether `{name}` is NULL because it had not ended", is_bound
    )


def _plain(value: Any) -> Any:
    """Convert numbers that JSON does not have to None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
