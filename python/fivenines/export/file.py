"""Writes the tables of runs into one file, a few trials at a time, whole or not at all.

Rows go to a file of JSON lines for each table first, from which DuckDB reads them with the types that the
columns have: few trials are in memory at a time.
"""

import errno
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import duckdb

from fivenines import __version__
from fivenines.errors import FiveninesError, NoSpaceError, UsageError
from fivenines.export.attempts import attempts, named, number_of
from fivenines.export.columns import ExportTable
from fivenines.export.tables import TABLES, Row, rows_of_attempt, rows_of_run
from fivenines.results.store import Run, move

SUFFIXES = (".duckdb", ".parquet")
"""What a file is by its name."""

Report = Callable[[int, int], None]
"""Is told how many attempts of trials are done, and how many there are."""

_MEMORY = "256MB"
"""What DuckDB may use; it spills to disk beyond."""
_STORAGE = "v1.0.0"
"""The format of a `.duckdb` file. DuckDB 2.0.1's own default cannot be opened by any version before 2.0."""

_LONGEST = 8 << 20
"""Bytes of a row, of which DuckDB makes its buffers: far more than any has."""


def silent(_done: int, _of: int) -> None:
    """Tells nobody."""


def export(
    runs: Sequence[Run], to: Path, table: str | None = None, report: Report = silent
) -> dict[str, int]:
    """Write all trials of runs to one file; returns the number of rows of each table in it.

    Args:
        runs: at least one; none may be there twice.
        to: `.duckdb` has all tables, `.parquet` one. A file that is there is replaced.
        table: of a Parquet file; default: `trials`.
        report: is told of progress.

    Raises:
        UsageError: another kind of file, a table that there is not, a run that is named twice.
        FiveninesError: something cannot be read or written.
    """
    tables = _tables(to, table)
    if not to.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {to.absolute().parent}")
    if to.is_dir():
        raise UsageError(f"{to} is a folder: name a file")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{to.name}.", dir=to.absolute().parent) as folder:
            _collect(runs, Path(folder), tables, report)
            return _write(Path(folder), to, tables)
    except (duckdb.Error, OSError) as error:
        kind = NoSpaceError if os.strerror(errno.ENOSPC) in str(error) else FiveninesError
        raise kind(f"{to} cannot be written: {str(error).splitlines()[0]}") from error


def _tables(to: Path, table: str | None) -> list[ExportTable[object]]:
    if to.suffix not in SUFFIXES:
        raise UsageError(f"{to}: a file ends with {' or '.join(SUFFIXES)}")
    if to.suffix == ".duckdb":
        if table is not None:
            raise UsageError("--table: a .duckdb file has all tables; name a .parquet file")
        return list(TABLES.values())
    name = table or next(iter(TABLES))
    if name not in TABLES:
        raise UsageError(f"--table: there is no {name!r}; there are {', '.join(TABLES)}")
    return [TABLES[name]]


def _collect(
    runs: Sequence[Run], folder: Path, tables: Sequence[ExportTable[object]], report: Report
) -> None:
    wanted = {one.name for one in tables}
    total, done = sum(map(number_of, runs)), 0
    with ExitStack() as stack:
        lines = {
            name: stack.enter_context(_lines_of(folder, name).open("w", encoding="utf-8")) for name in wanted
        }
        for run in named(runs):
            _put(lines, rows_of_run(run))
            for one in attempts(run):
                _put(lines, rows_of_attempt(one, wanted))
                done += 1
                report(done, total)


def _put(lines: Mapping[str, IO[str]], rows: Iterable[Row]) -> None:
    for table, source in rows:
        if table.name in lines:
            json.dump(table.values(source), lines[table.name], ensure_ascii=False, allow_nan=False)
            lines[table.name].write("\n")


def _lines_of(folder: Path, table: str) -> Path:
    return folder / f"{table}.jsonl"


def _write(folder: Path, to: Path, tables: Sequence[ExportTable[object]]) -> dict[str, int]:
    database = folder / "tables.duckdb"
    limits: dict[str, str | bool | int | float | list[str]] = {
        "threads": 2,
        "memory_limit": _MEMORY,
        "temp_directory": str(folder / "spill"),
        "storage_compatibility_version": _STORAGE,
    }
    with duckdb.connect(str(database), config=limits) as connection:
        numbers = {one.name: _load(connection, folder, one) for one in tables}
        if to.suffix == ".parquet":
            _to_parquet(connection, folder / "one.parquet", tables[0])
    made = database if to.suffix == ".duckdb" else folder / "one.parquet"
    with made.open("rb") as file:
        os.fsync(file.fileno())
    move(made, to)
    return numbers


def _load(connection: duckdb.DuckDBPyConnection, folder: Path, table: ExportTable[object]) -> int:
    """The table with its columns' types and what they mean as comments; the number of its rows."""
    types = ", ".join(f"{one.name} {one.type}" for one in table.columns)
    connection.execute(f"CREATE TABLE {table.name} ({types})")
    path = _lines_of(folder, table.name)
    if path.stat().st_size:
        connection.execute(
            f"INSERT INTO {table.name} SELECT * FROM read_json(?, format='newline_delimited',"
            f" maximum_object_size={_LONGEST},"
            f" columns={ {one.name: one.type for one in table.columns} })",
            [str(path)],
        )
    connection.execute(f"COMMENT ON TABLE {table.name} IS {_quoted(f'a row: {table.row}')}")
    for one in table.columns:
        text = f"{one.meaning} [{one.unit}]" if one.unit else one.meaning
        connection.execute(f"COMMENT ON COLUMN {table.name}.{one.name} IS {_quoted(text)}")
    counted = connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()
    return int(counted[0]) if counted else 0


def _to_parquet(connection: duckdb.DuckDBPyConnection, path: Path, table: ExportTable[object]) -> None:
    meaning = {one.name: f"{one.meaning} [{one.unit}]" if one.unit else one.meaning for one in table.columns}
    connection.execute(
        f"COPY {table.name} TO {_quoted(str(path))} (FORMAT parquet, COMPRESSION zstd, KV_METADATA "
        f"{{fivenines: {_quoted(__version__)}, columns: {_quoted(json.dumps(meaning))}}})"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
