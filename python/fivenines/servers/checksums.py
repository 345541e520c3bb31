"""How a kind of server is asked for its tables and for checksums of their rows.

The checksum of rows is the sum of a hash of each, so that it does not depend on their order, and rows that
are there twice do not cancel out. A row's hash covers all its columns in their order, NULL told from an
empty string and from the word NULL. Floating-point numbers are compared as the server prints them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

BUCKETS = 1024
"""A table's primary keys are divided by their hash into so many chunks."""


@dataclass(frozen=True)
class Shape:
    """A table: its columns with their types in order, and those of its primary key.

    A table without a primary key has all its columns as key: equal rows are then one key.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...]


class Dialect(ABC):
    """SQL of one kind of server."""

    tables: str
    """Name, column, type and whether it is in the primary key (0 or 1), in the order of the columns."""

    settings: str
    """What makes all nodes print values alike."""

    @abstractmethod
    def quoted(self, name: str) -> str:
        """A name as an identifier."""

    @abstractmethod
    def row_hash(self, shape: Shape) -> str:
        """An expression: the hash of a row, an integer."""

    @abstractmethod
    def bucket(self, shape: Shape) -> str:
        """An expression: the chunk that a row's key belongs to, 0 to BUCKETS - 1."""

    @abstractmethod
    def text(self, column: str) -> str:
        """An expression: a key column as text."""

    def shapes(self, cursor: Any) -> dict[str, Shape]:
        """All tables of the workload's database by name."""
        cursor.execute(self.tables)
        return shapes_of(cursor.fetchall())

    def chunk_sql(self, shape: Shape) -> str:
        """Chunk, number of rows and checksum, of every chunk that has rows."""
        return (
            f"SELECT {self.bucket(shape)} AS chunk, count(*), sum({self.row_hash(shape)})"
            f" FROM {self.quoted(shape.name)} GROUP BY 1"
        )

    def row_sql(self, shape: Shape, chunks: Iterable[int]) -> str:
        """Hash and key columns of every row in some chunks."""
        keys = ", ".join(self.text(self.quoted(name)) for name in shape.key)
        wanted = ", ".join(str(chunk) for chunk in sorted(chunks))
        return (
            f"SELECT {self.row_hash(shape)}, {keys} FROM {self.quoted(shape.name)}"
            f" WHERE {self.bucket(shape)} IN ({wanted})"
        )


def shapes_of(rows: Iterable[Sequence[Any]]) -> dict[str, Shape]:
    """Tables from rows of name, column, type and place in the key."""
    columns: dict[str, list[tuple[str, str]]] = {}
    keys: dict[str, list[str]] = {}
    for table, column, kind, in_key in rows:
        columns.setdefault(str(table), []).append((str(column), str(kind)))
        if in_key:
            keys.setdefault(str(table), []).append(str(column))
    return {
        name: Shape(name, tuple(found), tuple(keys.get(name) or [column for column, _ in found]))
        for name, found in columns.items()
    }
