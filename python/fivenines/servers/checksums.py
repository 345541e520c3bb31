"""SQL of a kind of server for its tables and for checksums of their rows.

The checksum of rows is the sum of a hash of each. So it does not depend on their order, and duplicate rows do
not cancel out. A row's hash covers all its columns in order, and distinguishes NULL from an empty string and
from the word NULL. Floating-point numbers are compared as the server prints them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

# The column of the ledger with the clock of the server that wrote the row: with replication of statements
# each server writes its own.
_CLOCK = ("fivenines_ledger", "executed_us")

# Number of chunks that a table's primary keys are divided into by their hash.
BUCKETS = 1024


@dataclass(frozen=True)
class Shape:
    """A table: its columns with their types in order, and those of its primary key.

    A table without a primary key has all its columns as key, so equal rows share one key. `schema` is empty
    for a table of the default schema, and on servers without schemas in a database.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...]
    schema: str = ""

    @property
    def label(self) -> str:
        """Return the name for people: "t", or "app.t" outside the default schema."""
        return ".".join(filter(None, (self.schema, self.name)))


class Dialect(ABC):
    """SQL of one kind of server."""

    # Name, column, type, whether it is in the primary key (0 or 1), and optionally the schema, in the order
    # of the columns.
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

    def named(self, shape: Shape) -> str:
        """Return a table's name in SQL, with its schema."""
        return ".".join(self.quoted(part) for part in (shape.schema, shape.name) if part)

    def shapes(self, cursor: Any) -> dict[str, Shape]:
        """Return all tables of the workload's database by label."""
        cursor.execute(self.tables)
        return shapes_of(cursor.fetchall())

    def chunk_sql(self, shape: Shape) -> str:
        """Return a query for number, row count and checksum of every chunk that has rows."""
        return (
            f"SELECT {self.bucket(shape)} AS chunk, count(*), sum({self.row_hash(shape)})"
            f" FROM {self.named(shape)} GROUP BY 1"
        )

    def row_sql(self, shape: Shape, chunks: Iterable[int]) -> str:
        """Return a query for hash and key columns of every row in some chunks."""
        keys = ", ".join(self.text(self.quoted(name)) for name in shape.key)
        numbers = ", ".join(str(chunk) for chunk in sorted(chunks))
        return (
            f"SELECT {self.row_hash(shape)}, {keys} FROM {self.named(shape)}"
            f" WHERE {self.bucket(shape)} IN ({numbers})"
        )


def shapes_of(rows: Iterable[Sequence[Any]]) -> dict[str, Shape]:
    """Build tables from rows of name, column, type, position in the key, and optionally schema."""
    columns: dict[tuple[str, str], list[tuple[str, str]]] = {}
    keys: dict[tuple[str, str], list[str]] = {}
    for table, column, kind, in_key, *schema in rows:
        if (str(table), str(column)) == _CLOCK:
            continue
        name = (str(schema[0] or "") if schema else "", str(table))
        columns.setdefault(name, []).append((str(column), str(kind)))
        if in_key:
            keys.setdefault(name, []).append(str(column))
    shapes = [
        Shape(
            name, tuple(fields), tuple(keys.get((schema, name)) or [column for column, _ in fields]), schema
        )
        for (schema, name), fields in columns.items()
    ]
    return {shape.label: shape for shape in shapes}
