"""Read Parquet files with DuckDB; the tables of a few trials can be kept in memory for several queries.

A query of Parquet files opens each of them, which takes most of its time, as the files of a trial are small.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from fivenines.base.drivers import duckdb

_T = TypeVar("_T")

# A query of more tables than this uses two threads; with fewer tables one thread is as quick.
_FEW = 64

# Tables that are read several times for the figures of a report.
_OFTEN = ("timeline", "ledger", "views", "hosts")

# The largest size of the files of a table that is kept, in bytes; in memory it is about ten times as large.
_MOST_KEPT = 4_000_000

_ROWS = (
    "SELECT parse_path(filename)[-2] AS trial, * EXCLUDE filename"
    " FROM read_parquet(?, filename=true, union_by_name=?)"
)


@dataclass
class _Kept:
    """Tables of some trials, as temporary tables of one connection, and results of their analysis."""

    connection: "duckdb.DuckDBPyConnection"
    folders: Sequence[Path]
    names: dict[tuple[bool, tuple[str, ...]], str] = field(default_factory=dict)
    results: dict[Hashable, Any] = field(default_factory=dict)


_kept: ContextVar[_Kept | None] = ContextVar("kept", default=None)


@contextmanager
def kept(folders: Sequence[Path]) -> Iterator[None]:
    """Read each table of these trials only once within this context, where it is not too large."""
    with reader() as connection:
        tables = _Kept(connection, folders)
        token = _kept.set(tables)
        try:
            yield
        finally:
            _kept.reset(token)
            for name in tables.names.values():
                connection.execute(f"DROP TABLE {name}")


def computed_once(key: Hashable, compute: Callable[[], _T]) -> _T:
    """Return a result, which within `kept` is computed only once under a key."""
    tables = _kept.get()
    if tables is None:
        return compute()
    if key not in tables.results:
        tables.results[key] = compute()
    result: _T = tables.results[key]
    return result


@contextmanager
def rows_of(
    paths: Sequence[Path], mixed: bool = False
) -> "Iterator[tuple[duckdb.DuckDBPyConnection, str, list[Any]]]":
    """Provide a connection, and SQL with its parameters for the rows of a table of several trials.

    The column `trial` has the name of the trial's folder. `mixed`: the files may have different columns.

    Raises:
        duckdb.Error: a file is damaged.
    """
    tables = _kept.get()
    if tables is not None and _worth_keeping(tables, paths):
        yield tables.connection, f"SELECT * FROM {_name(tables, paths, mixed)}", []
        return
    with reader(threads=2 if len(paths) > _FEW else 1) as connection:
        yield connection, _ROWS, [[str(path) for path in paths], mixed]


def _worth_keeping(tables: _Kept, paths: Sequence[Path]) -> bool:
    if paths[0].stem not in _OFTEN or not {path.parent for path in paths} <= set(tables.folders):
        return False
    return sum(path.stat().st_size for path in paths) <= _MOST_KEPT


def _name(tables: _Kept, paths: Sequence[Path], mixed: bool) -> str:
    """Return the name of the temporary table with the rows of these files, which are read the first time."""
    key = (mixed, tuple(map(str, paths)))
    if key not in tables.names:
        name = f"kept_{len(tables.names)}"
        tables.connection.execute(f"CREATE TEMPORARY TABLE {name} AS {_ROWS}", [list(key[1]), mixed])
        tables.names[key] = name
    return tables.names[key]


@contextmanager
def reader(threads: int = 1) -> "Iterator[duckdb.DuckDBPyConnection]":
    """Provide a connection for reading and writing Parquet files; tables and views in it must be temporary.

    It is a cursor of a shared database: opening a database takes 16 ms of CPU, a cursor and a query 0.5 ms.
    """
    cursor = _database(threads).cursor()
    try:
        yield cursor
    finally:
        cursor.close()


@cache
def _database(threads: int) -> "duckdb.DuckDBPyConnection":
    return duckdb.connect(config={"threads": threads})
