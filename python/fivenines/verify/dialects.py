"""How each kind of server is asked for its tables and for checksums of their rows.

The checksum of rows is the sum of a hash of each, so that it does not depend on their order, and rows that
are there twice do not cancel out. A row's hash covers all its columns in their order, NULL told from an
empty string and from the word NULL.

MariaDB: MD5 over the columns in quotes (QUOTE gives NULL without quotes), as pt-table-checksum does with
CRC32 and flags for NULL. MySQL: the same with SHA2, as MySQL 9.6 gave MD5 to a component.
Not CHECKSUM TABLE: on Galera an applied change of a table ends it in the middle of a row, with a wrong sum.
PostgreSQL: hashtextextended over the row as text, in which NULL is nothing and an empty string is "".
Floating-point numbers are compared as the server prints them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.servers.base import Server
from fivenines.servers.mysql import Mysql

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


class MariadbDialect(Dialect):
    """MariaDB."""

    digest = "MD5({})"
    """The expression that makes hexadecimal digits of a text."""

    settings = "SET SESSION time_zone = '+00:00'"
    tables = (
        "SELECT c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.COLUMN_KEY = 'PRI'"
        " FROM information_schema.COLUMNS c JOIN information_schema.TABLES t"
        " USING (TABLE_SCHEMA, TABLE_NAME)"
        " WHERE c.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE'"
        " ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION"
    )

    def quoted(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def row_hash(self, shape: Shape) -> str:
        digits = self.digest.format(self._joined(shape.columns))
        return f"CAST(CONV(LEFT({digits}, 16), 16, 10) AS UNSIGNED)"

    def bucket(self, shape: Shape) -> str:
        key = [column for column in shape.columns if column[0] in shape.key]
        return f"CRC32({self._joined(key)}) % {BUCKETS}"

    def text(self, column: str) -> str:
        return f"QUOTE({column})"

    def _joined(self, columns: Iterable[tuple[str, str]]) -> str:
        parts = [
            # a long value could make the whole too long for one packet, which would be NULL
            f"COALESCE({self.digest.format(self.quoted(name))}, 'NULL')"
            if kind.lower().endswith(("text", "blob"))
            else f"QUOTE({self.quoted(name)})"
            for name, kind in columns
        ]
        return f"CONCAT({', '.join(parts)})"


class MysqlDialect(MariadbDialect):
    """MySQL."""

    digest = "SHA2({}, 256)"


class PostgresDialect(Dialect):
    """PostgreSQL."""

    settings = "SET TIME ZONE 'UTC'"
    tables = (
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod),"
        " coalesce(a.attnum = ANY (i.indkey), false)::int"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary"
        " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND pg_table_is_visible(c.oid)"
        " AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped"
        " ORDER BY c.relname, a.attnum"
    )

    def quoted(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def row_hash(self, shape: Shape) -> str:
        return f"hashtextextended({self._row(name for name, _ in shape.columns)}, 0)"

    def bucket(self, shape: Shape) -> str:
        return f"hashtextextended({self._row(shape.key)}, 1) & {BUCKETS - 1}"

    def text(self, column: str) -> str:
        return f"{column}::text"

    def _row(self, names: Iterable[str]) -> str:
        return f"ROW({', '.join(self.quoted(name) for name in names)})::text"


def dialect_of(server: Server) -> Dialect:
    """The dialect that a server understands."""
    if isinstance(server, Mysql):
        return MysqlDialect()
    return PostgresDialect() if server.driver == "postgres" else MariadbDialect()
