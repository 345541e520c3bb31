"""Write the tables of runs into one file, atomically and with few trials in memory.

Rows are first written to a file of JSON lines for each table, from which DuckDB reads them with the columns'
types.
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
from fivenines.base.errors import FiveninesError, NoSpaceError, UsageError
from fivenines.report.export.attempts import attempts, named, number_of
from fivenines.report.export.columns import ExportTable
from fivenines.report.export.tables import TABLES, Row, rows_of_attempt, rows_of_run
from fivenines.results.store import Run, move

# The suffix of a file determines its format.
SUFFIXES = (".duckdb", ".parquet")

# Receives the number of finished attempts of trials, and their total.
Report = Callable[[int, int], None]

# The memory limit of DuckDB, which spills to disk beyond it.
_MEMORY = "256MB"
# The format of a `.duckdb` file. Versions before 2.0 cannot open the default format of DuckDB 2.0.1.
_STORAGE = "v1.0.0"

# The size of DuckDB's buffers for a row in bytes, far more than any row has.
_LONGEST = 8 << 20


def silent(_done: int, _of: int) -> None:
    """Ignore progress."""


def export(
    runs: Sequence[Run], to: Path, table: str | None = None, report: Report = silent
) -> dict[str, int]:
    """Write all trials of runs to one file, and return the number of rows of each table.

    Args:
        runs: at least one run; no run may be listed twice.
        to: path of the file: `.duckdb` has all tables, `.parquet` one. An existing file is replaced.
        table: table of a Parquet file; default: `trials`.
        report: receives progress.

    Raises:
        UsageError: the suffix or the table is unknown, or a run is listed twice.
        FiveninesError: a file cannot be read or written.
    """
    tables = _tables(to, table)
    if not to.absolute().parent.is_dir():
        raise UsageError(f"the folder {to.absolute().parent} does not exist: create it first")
    if to.is_dir():
        raise UsageError(f"{to} is a folder: give the name of a file")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{to.name}.", dir=to.absolute().parent) as folder:
            _collect(runs, Path(folder), tables, report)
            return _write(Path(folder), to, tables)
    except (duckdb.Error, OSError) as error:
        kind = NoSpaceError if os.strerror(errno.ENOSPC) in str(error) else FiveninesError
        raise kind(f"{to} cannot be written: {str(error).splitlines()[0]}") from error


def _tables(to: Path, table: str | None) -> list[ExportTable[object]]:
    if to.suffix not in SUFFIXES:
        raise UsageError(f"{to}: the file name must end with {' or '.join(SUFFIXES)}")
    if to.suffix == ".duckdb":
        if table is not None:
            raise UsageError("--table: a .duckdb file has all tables; write to a .parquet file instead")
        return list(TABLES.values())
    name = table or next(iter(TABLES))
    if name not in TABLES:
        raise UsageError(f"--table: {name!r} is not a table; the tables are {', '.join(TABLES)}")
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
    """Load a table with its columns' types and comments, and return the number of its rows."""
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
