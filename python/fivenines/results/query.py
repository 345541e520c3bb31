"""SQL queries over the tables of all trials of a run, in a local folder or on shared storage.

DuckDB reads the Parquet files in place; remote ones through fsspec (DuckDB manual, "Using fsspec
filesystems").
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb

from fivenines.base.errors import FiveninesError, UsageError, brief
from fivenines.results import layout
from fivenines.results.storage import Storage

_BROKEN = ".broken-"


@dataclass(frozen=True)
class Answer:
    """The result of a query: names of the columns, and rows."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


class Query:
    """The tables of a run, as views with the trial in their first column.

    Attributes:
        tables: the columns of each table by name; `trials` has the records.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, tables: dict[str, list[str]]) -> None:
        self.tables = tables
        self._connection = connection

    def ask(self, sql: str) -> Answer:
        """Return the answer to a query.

        Raises:
            UsageError: DuckDB rejects the query; the message has DuckDB's error.
        """
        try:
            result = self._connection.execute(sql)
            columns = [item[0] for item in result.description or ()]
            return Answer(columns, result.fetchall())
        except duckdb.Error as error:
            raise UsageError(f"DuckDB: {brief(error)}") from error


@contextmanager
def opened(run: str) -> Iterator[Query]:
    """Open the tables of a run by its folder or URL.

    Raises:
        FiveninesError: the run does not exist, or cannot be read.
    """
    storage = Storage(run)
    filesystem, root = storage.filesystem, storage.root
    with duckdb.connect(config={"threads": 2}) as connection:
        try:
            names = _names(filesystem, root)
            if not names:
                raise FiveninesError(f"{run} has no complete trial")
            protocol = filesystem.protocol
            kind = protocol if isinstance(protocol, str) else protocol[0]
            local = kind in ("file", "local")
            if not local:
                connection.register_filesystem(filesystem)
            prefix = root if local else f"{kind}://{root}"
            for name in names:
                connection.execute(_view(name, f"{prefix}/{layout.TRIALS}"))
            tables = {name: _columns(connection, name) for name in names}
        except FiveninesError:
            raise
        except Exception as error:
            raise FiveninesError(f"{run} cannot be read: {brief(error)}") from error
        yield Query(connection, tables)


def _names(filesystem: Any, root: str) -> list[str]:
    """Return the names of the tables that at least one trial has."""
    filesystem.invalidate_cache()
    result = filesystem.glob(f"{root}/{layout.TRIALS}/*/*.parquet")
    whole = [str(path) for path in result if _BROKEN not in str(path)]
    kept = {path.rpartition("/")[2].removesuffix(".parquet") for path in whole}
    records = filesystem.glob(f"{root}/{layout.TRIALS}/*/{layout.TRIAL}")
    return (["trials"] if records else []) + [name for name in layout.TABLES if name in kept]


def _view(name: str, trials: str) -> str:
    """Return the SQL for a view of one table over all complete trials."""
    files = f"{trials}/*/{layout.TRIAL}" if name == "trials" else f"{trials}/*/{name}.parquet"
    read = "read_json_auto" if name == "trials" else "read_parquet"
    quoted = files.replace("'", "''")
    return (
        f"CREATE VIEW {name} AS SELECT regexp_extract(filename, '([^/]+)/[^/]+$', 1) AS trial, "
        f"* EXCLUDE (filename) FROM {read}('{quoted}', filename = true, union_by_name = true) "
        f"WHERE filename NOT LIKE '%{_BROKEN}%'"
    )


def _columns(connection: duckdb.DuckDBPyConnection, name: str) -> list[str]:
    return [row[0] for row in connection.execute(f"DESCRIBE {name}").fetchall()]
