"""Columns of an exported table: name, type, unit and meaning beside the code that fills them.

A value that is only known to be at least so large (service was not back when the load ended) never stands in
a column of values: there it is NULL, and `..._at_least_...` has it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

S = TypeVar("S")
"""What a row is made of."""

Type = Literal["BIGINT", "BIGINT[]", "BOOLEAN", "DOUBLE", "JSON", "TIMESTAMP", "VARCHAR", "VARCHAR[]"]

Known = tuple[float, bool]
"""A value, and whether it is a lower bound."""


@dataclass(frozen=True)
class Column(Generic[S]):
    """One column; `unit` is empty for what has none.

    Attributes:
        name: in the file.
        type: of DuckDB.
        unit: of the values.
        meaning: in a sentence, for the reference.
        get: its value of a row's source; None becomes NULL.
    """

    name: str
    type: Type
    unit: str
    meaning: str
    get: Callable[[S], Any]


@dataclass(frozen=True)
class ExportTable(Generic[S]):
    """A table of the file: `row` says what a row is."""

    name: str
    row: str
    columns: Sequence[Column[S]]

    def values(self, source: S) -> dict[str, Any]:
        """A row by its columns' names."""
        return {column.name: _plain(column.get(source)) for column in self.columns}


T = TypeVar("T")


def seen_by(columns: Iterable[Column[S]], source: Callable[[T], S]) -> list[Column[T]]:
    """The same columns of rows that have what they are filled from: `source` finds it."""

    def of(column: Column[S]) -> Column[T]:
        def get(row: T) -> Any:
            return column.get(source(row))

        return Column(column.name, column.type, column.unit, column.meaning, get)

    return [of(one) for one in columns]


def bounded(stem: str, unit: str, meaning: str, get: Callable[[S], Known | None]) -> Iterable[Column[S]]:
    """Three columns of what may be a lower bound: the value, the bound, and which of the two it is."""

    def value(source: S) -> float | None:
        found = get(source)
        return None if found is None or found[1] else found[0]

    def at_least(source: S) -> float | None:
        found = get(source)
        return None if found is None else found[0]

    def is_bound(source: S) -> bool | None:
        found = get(source)
        return None if found is None else found[1]

    name = f"{stem}_{unit}"
    yield Column(name, "DOUBLE", unit, f"{meaning}; NULL where it is only bounded", value)
    yield Column(
        f"{stem}_at_least_{unit}",
        "DOUBLE",
        unit,
        f"`{name}`, or what was seen of it where it had not ended",
        at_least,
    )
    yield Column(f"{stem}_is_bound", "BOOLEAN", "", f"whether `{name}` is NULL as it had not ended", is_bound)


def _plain(value: Any) -> Any:
    """What JSON has no number for is NULL."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
