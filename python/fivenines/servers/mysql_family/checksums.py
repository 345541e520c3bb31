"""Checksums of rows by MariaDB and MySQL.

The hash covers the quoted columns (QUOTE gives NULL without quotes), as in pt-table-checksum, which uses
CRC32 and flags for NULL. CHECKSUM TABLE is not suitable: on Galera an applied change of a table ends it in
the middle of a row, with a wrong sum.
"""

from collections.abc import Iterable

from fivenines.base.drivers import pymysql
from fivenines.servers.checksums import BUCKETS, Dialect, Shape
from fivenines.servers.mysql_family.session import REFUSALS


class MysqlFamilyDialect(Dialect):
    """MariaDB and MySQL.

    Args:
        digest: the expression for hexadecimal digits of a text.
    """

    def __init__(self, digest: str) -> None:
        self.digest = digest

    # The modes of a server change the syntax (ORACLE, ANSI) and what is printed (PAD_CHAR_TO_FULL_LENGTH).
    settings = "SET SESSION time_zone = '+00:00', sql_mode = ''"
    tables = (
        "SELECT c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.COLUMN_KEY = 'PRI'"
        " FROM information_schema.COLUMNS c JOIN information_schema.TABLES t"
        " USING (TABLE_SCHEMA, TABLE_NAME)"
        " WHERE c.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE'"
        " ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION"
    )

    def refuses(self, error: Exception) -> bool:
        return isinstance(error, pymysql.err.MySQLError) and error.args[:1] in {(code,) for code in REFUSALS}

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
            # A long value could make the whole too long for one packet, which would be NULL.
            f"COALESCE({self.digest.format(self.quoted(name))}, 'NULL')"
            if kind.lower().endswith(("text", "blob"))
            # As a double it has all its digits; a FLOAT is printed with six.
            else f"QUOTE({self.quoted(name)} + 0e0)"
            if kind.lower() == "float"
            else f"QUOTE({self.quoted(name)})"
            for name, kind in columns
        ]
        return f"CONCAT({', '.join(parts)})"
