"""SQL of a kind of server for its tables and for checksums of their rows.

The checksum of rows is the sum of a hash of each. So it does not depend on their order, and duplicate rows do
not cancel out. A row's hash covers all its columns in order, and distinguishes NULL from an empty string and
from the word NULL. Floating-point numbers are compared as the server prints them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

# Number of chunks that a table's primary keys are divided into by their hash.
BUCKETS = 1024


@dataclass(frozen=True)
class Shape:
    """A table: its columns with their types in order, and those of its primary key.

    A table without a primary key has all its columns as key, so equal rows share one key.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...]


class Dialect(ABC):
    """SQL of one kind of server."""

    # Name, column, type and whether it is in the primary key (0 or 1), in the order of the columns.
    tables: str

    # Statement that makes all nodes print values alike.
    settings: str

    @abstractmethod
    def refuses(self, error: Exception) -> bool:
        """Return whether an error is about the table that was read, and not about its node."""

    @abstractmethod
    def quoted(self, name: str) -> str:
        """Quote a name as an identifier."""

    @abstractmethod
    def row_hash(self, shape: Shape) -> str:
        """Return an SQL expression for the hash of a row, an integer."""

    @abstractmethod
    def bucket(self, shape: Shape) -> str:
        """Return an SQL expression for the chunk of a row's key, 0 to BUCKETS - 1."""

    @abstractmethod
    def text(self, column: str) -> str:
        """Return an SQL expression for a key column as text."""

    def shapes(self, cursor: Any) -> dict[str, Shape]:
        """Return all tables of the workload's database by name."""
        cursor.execute(self.tables)
        return shapes_of(cursor.fetchall())

    def chunk_sql(self, shape: Shape) -> str:
        """Return a query for number, row count and checksum of every chunk that has rows."""
        return (
            f"SELECT {self.bucket(shape)} AS chunk, count(*), sum({self.row_hash(shape)})"
            f" FROM {self.quoted(shape.name)} GROUP BY 1"
        )

    def row_sql(self, shape: Shape, chunks: Iterable[int]) -> str:
        """Return a query for hash and key columns of every row in some chunks."""
        keys = ", ".join(self.text(self.quoted(name)) for name in shape.key)
        numbers = ", ".join(str(chunk) for chunk in sorted(chunks))
        return (
            f"SELECT {self.row_hash(shape)}, {keys} FROM {self.quoted(shape.name)}"
            f" WHERE {self.bucket(shape)} IN ({numbers})"
        )


def shapes_of(rows: Iterable[Sequence[Any]]) -> dict[str, Shape]:
    """Build tables from rows of name, column, type and position in the key."""
    columns: dict[str, list[tuple[str, str]]] = {}
    keys: dict[str, list[str]] = {}
    for table, column, kind, in_key in rows:
        columns.setdefault(str(table), []).append((str(column), str(kind)))
        if in_key:
            keys.setdefault(str(table), []).append(str(column))
    return {
        name: Shape(name, tuple(fields), tuple(keys.get(name) or [column for column, _ in fields]))
        for name, fields in columns.items()
    }
