"""Checksums of rows by PostgreSQL.

hashtextextended of the row as text, in which NULL is nothing and an empty string is "".
"""

from collections.abc import Iterable

from fivenines.base.drivers import psycopg
from fivenines.servers.checksums import BUCKETS, Dialect, Shape


class PostgresDialect(Dialect):
    """PostgreSQL."""

    # Nodes of an external cluster may be configured differently; 1: all digits of floating-point numbers.
    settings = (
        "SET TIME ZONE 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'iso_8601'; "
        "SET extra_float_digits = 1; SET bytea_output = 'hex'; SET search_path = public"
    )
    tables = (
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod),"
        " coalesce(a.attnum = ANY (i.indkey), false)::int, nullif(n.nspname, 'public')"
        " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " JOIN pg_attribute a ON a.attrelid = c.oid"
        " LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary"
        " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'"
        " AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'"
        # Extensions keep the state of one server in tables of their own.
        " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass"
        " AND d.objid = c.oid AND d.deptype = 'e')"
        " AND a.attnum > 0 AND NOT a.attisdropped"
        " ORDER BY n.nspname, c.relname, a.attnum"
    )

    def refuses(self, error: Exception) -> bool:
        # 42: no privilege, or no such table; 0A: what a standby does not support, as unlogged tables.
        return isinstance(error, psycopg.Error) and (error.sqlstate or "")[:2] in ("42", "0A")

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
