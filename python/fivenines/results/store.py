"""A run's folder: reading runs, trials and tables; writing files whole or not at all."""

import csv
import errno
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ValidationError

from fivenines import __version__
from fivenines.base.drivers import duckdb
from fivenines.base.errors import FiveninesError, NoSpaceError
from fivenines.results import layout
from fivenines.results.reading import reader, rows_of
from fivenines.results.records import READABLE, BlockRecord, Manifest, PlannedTrial, TrialRecord
from fivenines.results.unreadable import UnreadableError

_BROKEN = re.compile(r"(?P<id>.+)\.broken-(?P<attempt>\d+)")
_R = TypeVar("_R", bound=BaseModel)

Column = npt.NDArray[Any]


@dataclass(frozen=True)
class StoredTrial:
    """A trial's record and its folder (`<id>` or `<id>.broken-<n>`).

    The view of one of several clients has a separate folder within that of the `whole` trial.
    """

    folder: Path
    record: TrialRecord
    whole: Path | None = None


@dataclass(frozen=True)
class StoredBlock:
    """An interleaved comparison's record and its folder; not `complete`: it was broken, for the reason in its
    record.
    """

    folder: Path
    record: BlockRecord

    @property
    def complete(self) -> bool:
        return self.record.status == "complete"


@dataclass(frozen=True)
class Run:
    """A run as stored on disk. `problems` are sentences about files that could not be read."""

    folder: Path
    manifest: Manifest
    complete: list[StoredTrial]
    broken: list[StoredTrial]
    problems: list[str] = field(default_factory=list)
    # Complete and broken blocks, by id.
    blocks: list[StoredBlock] = field(default_factory=list)

    @property
    def trials(self) -> list[StoredTrial]:
        """Return all attempts, complete ones first."""
        return [*self.complete, *self.broken]

    @property
    def missing(self) -> list[PlannedTrial]:
        """Planned trials that are not complete."""
        done = {trial.record.id for trial in self.complete}
        return [planned for planned in self.manifest.plan if planned.id not in done]


# --- reading -------------------------------------------------------------------------------------


def open_run(folder: Path) -> Run:
    """Read a run's manifest and the records of all its trials, complete and broken, by id.

    A trial with a damaged record counts as broken.

    Raises:
        FiveninesError: no such folder, no run, a damaged manifest or another format version.
    """
    manifest = _read_manifest(folder)
    run = Run(folder, manifest, [], [])
    trials = folder / layout.TRIALS
    planned = {trial.id: trial for trial in manifest.plan}
    settings: _Settings = {}
    for path in sorted(trials.iterdir()) if trials.is_dir() else []:
        if path.is_dir() and not path.name.startswith("."):
            _add(run, path, planned, settings)
    _add_blocks(run)
    return run


def opened(run: Run | Path) -> Run:
    """Return a run; a path is opened by `open_run`."""
    return run if isinstance(run, Run) else open_run(run)


def table_path(trial: Path, table: str) -> Path:
    """Return where a table of `layout.TABLES` lies in a trial's folder."""
    return trial / f"{table}.parquet"


def query(trials: Sequence[StoredTrial], table: str, sql: str, mixed: bool = False) -> dict[str, Column]:
    """Return the columns that `sql` selects from one table of many trials.

    `mixed`: the trials may have different columns; a column that a trial lacks is NULL.

    The SQL text calls the table `rows`; its column `trial` has the name of the trial's folder, which
    is the id of a complete trial. Trials without the table are left out.

    Raises:
        FiveninesError: a file is damaged.
    """
    answer = [path for path in (table_path(t.folder, table) for t in trials) if path.is_file()]
    try:
        if answer:
            with rows_of(answer, mixed) as (connection, source, values):
                columns = connection.execute(f"WITH rows AS ({source}) {sql}", values).fetchnumpy()
        else:
            with reader() as connection:
                columns = connection.execute(f"WITH rows AS ({_nothing(table)}) {sql}").fetchnumpy()
    except duckdb.Error as error:
        where = answer[0] if len(answer) == 1 else f"{table}.parquet of {len(answer)} trials"
        raise UnreadableError(f"{where} cannot be read: {_brief(error)}") from error
    return {name: np.ma.filled(column) for name, column in columns.items()}


def _nothing(table: str) -> str:
    """Return SQL for a table without rows."""
    columns = ", ".join(f"NULL::{kind} AS {name}" for name, kind in layout.TABLES[table].items())
    return f"SELECT ''::VARCHAR AS trial, {columns} LIMIT 0"


def open_manifest(folder: Path) -> Manifest:
    """Read a run's manifest alone.

    Raises:
        FiveninesError: as `open_run`.
    """
    return _read_manifest(folder)


def _read_manifest(folder: Path) -> Manifest:
    if not folder.is_dir():
        raise FiveninesError(f"{folder}: no such folder")
    path = folder / layout.MANIFEST
    if not path.is_file():
        raise FiveninesError(f"{folder} is not a run of fivenines: it has no {layout.MANIFEST}")
    data = _read_json(path)
    version = data.get("format")
    if version not in READABLE:
        raise FiveninesError(_other_format(folder, version, data.get("fivenines")))
    return _validated(Manifest, data, path)


def _other_format(folder: Path, version: object, writer: object) -> str:
    """Return the error message for a run whose format cannot be read."""
    by = f"fivenines {writer}" if isinstance(writer, str) else "an unknown version"
    in_format = "without a format version" if version is None else f"in format {version}"
    ours = f"fivenines {__version__} reads format {' or '.join(map(str, READABLE))}"
    if isinstance(version, int) and version > max(READABLE):
        return f"{folder}: written by {by} {in_format}, but this {ours}; update fivenines"
    return (
        f"{folder}: written by {by} {in_format}, but this {ours}; "
        "fivenines 0.1.0 was never released, so make the run again in another folder"
    )


# Server settings that were read before, by their content.
_Settings = dict[frozenset[tuple[str, str]], dict[str, str]]


def _add(run: Run, path: Path, planned: dict[str, PlannedTrial], settings: _Settings) -> None:
    match = _BROKEN.fullmatch(path.name)
    trial_id = match["id"] if match else path.name
    attempt = int(match["attempt"]) if match else 1
    try:
        record = _record(TrialRecord, path / layout.TRIAL)
    except FiveninesError as error:
        if trial_id not in planned:
            run.problems.append(f"{error} (left out: the trial is not in the plan)")
            return
        record = _unreadable(planned[trial_id], attempt, str(error))
    if record.deployment is not None:
        _share(record.deployment.settings, settings)
    complete = record.status == "complete" and match is None
    (run.complete if complete else run.broken).append(StoredTrial(path, record))


def _share(texts: dict[str, dict[str, str]], known: _Settings) -> None:
    """Replace equal settings by one shared dictionary: they are most of a record, and repeat in a cell."""
    for node, settings in texts.items():
        texts[node] = known.setdefault(frozenset(settings.items()), settings)


def _add_blocks(run: Run) -> None:
    folder = run.folder / layout.BLOCKS
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not path.is_dir() or path.name.startswith("."):
            continue
        file = path / layout.BLOCK
        try:
            run.blocks.append(StoredBlock(path, _record(BlockRecord, file)))
        except FiveninesError as error:
            run.problems.append(str(error))


def _unreadable(planned: PlannedTrial, attempt: int, reason: str) -> TrialRecord:
    return TrialRecord(
        id=planned.id,
        cell=planned.cell,
        number=planned.number,
        seed=planned.seed,
        attempt=attempt,
        status="broken",
        reason=reason,
        started="",
        seconds=0.0,
    )


def _record(model: type[_R], path: Path) -> _R:
    try:
        # A third faster than reading JSON first, of which only the messages are better.
        return model.model_validate_json(path.read_bytes())
    except (OSError, ValueError):
        return _validated(model, _read_json(path), path)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise FiveninesError(f"{path} does not exist; the trial was probably interrupted") from error
    except (OSError, ValueError) as error:
        raise FiveninesError(f"{path} is damaged: {error}") from error
    if not isinstance(data, dict):
        raise FiveninesError(f"{path} is damaged: it contains no JSON object")
    return data


def _validated(model: type[_R], data: dict[str, Any], path: Path) -> _R:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise FiveninesError(f"{path} is damaged: {where}: {first['msg']}") from error


# --- writing -------------------------------------------------------------------------------------


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file whole or not at all (temporary file, fsync, rename, fsync of the folder).

    Raises:
        FiveninesError: the file cannot be written; an existing file stays as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        move(temporary, path)
    except OSError as error:
        kind = NoSpaceError if error.errno == errno.ENOSPC else FiveninesError
        raise kind(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        # an error of the clean-up must not replace the original error, as on a read-only file system
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_json(path: Path, value: BaseModel | dict[str, Any] | list[Any]) -> None:
    """Write a record or plain data as indented JSON, as `write_text` does.

    Raises:
        FiveninesError: it cannot be written.
    """
    if isinstance(value, BaseModel):
        text = value.model_dump_json(indent=1)
    else:
        text = json.dumps(value, indent=1, ensure_ascii=False)
    write_text(path, text + "\n")


def write_table(folder: Path, table: str, rows: Iterable[Sequence[object]]) -> None:
    """Write a table of a trial whole or not at all; the columns of each row are as in `layout.TABLES`.

    Raises:
        FiveninesError: a value does not fit its column.
        NoSpaceError: the disk is full.
    """
    source = folder / f"{table}.csv"
    try:
        with source.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(layout.TABLES[table])
            writer.writerows(rows)
        csv_to_parquet(source, table_path(folder, table), table)
    finally:
        source.unlink(missing_ok=True)


def csv_to_parquet(source: Path, parquet: Path, table: str, own: Mapping[str, str] | None = None) -> int:
    """Convert a CSV file with a header line to Parquet with the columns of `layout.TABLES[table]`.

    `own`: the columns and types of a table that `layout.TABLES` lacks. Columns may be in any order;
    an empty field is NULL. Returns the number of rows.

    Raises:
        FiveninesError: a wrong header, or a value that does not fit its column.
        NoSpaceError: the disk is full.
    """
    columns = layout.TABLES[table] if own is None else own
    header = _header(source)
    if sorted(header) != sorted(columns):
        raise FiveninesError(
            f"{source}: the header has {', '.join(header) or 'no columns'};"
            f" the table {table} has {', '.join(columns)}"
        )
    temporary = parquet.with_name(f".{parquet.name}.{os.getpid()}.tmp")
    try:
        rows = _convert(source, temporary, {name: columns[name] for name in header}, list(columns))
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        move(temporary, parquet)
    except (duckdb.Error, OSError) as error:
        kind = NoSpaceError if os.strerror(errno.ENOSPC) in str(error) else FiveninesError
        raise kind(f"{source} cannot be converted to {parquet}: {_brief(error)}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return rows


def _header(csv: Path) -> list[str]:
    try:
        with csv.open(encoding="utf-8") as file:
            line = file.readline().strip()
    except OSError as error:
        raise FiveninesError(f"{csv} cannot be read: {error.strerror or error}") from error
    return [name.strip().strip('"') for name in line.split(",")] if line else []


def _convert(csv: Path, target: Path, types: dict[str, str], order: list[str]) -> int:
    # COPY takes no parameter for its file; the path stands in a literal.
    literal = str(target).replace("'", "''")
    with reader() as connection:
        counted = connection.execute(
            f"COPY (SELECT {', '.join(order)} FROM read_csv("
            "?, header=true, auto_detect=false, delim=',', quote='\"', escape='\"',"
            f" columns={types})) TO '{literal}' (FORMAT parquet, COMPRESSION zstd)",
            [str(csv)],
        ).fetchone()
    return int(counted[0]) if counted else 0


def move(temporary: Path, path: Path) -> None:
    """Rename a file or folder durably: the rename survives a power loss."""
    temporary.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _brief(error: Exception) -> str:
    """Return the first line of DuckDB's long messages."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
