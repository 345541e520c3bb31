"""Store of figures of finished trials: `cache/figures.sqlite` in a run's folder.

It has a row for each kind and trial: creating a file for each takes a tenth of the time of a first report. A
row counts only under its key, which `results.cache.key_of` computes, and with its checksum: the file is not
synchronised to disk. A damaged file is removed and written again.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from fivenines.results import layout
from fivenines.results.cache import is_entry

_NAME = "figures.sqlite"
_CREATE = """
    CREATE TABLE IF NOT EXISTS figures (
        kind TEXT, trial TEXT, key TEXT, checksum BLOB, data BLOB, PRIMARY KEY (kind, trial)
    )
"""
_READ = "SELECT trial, key, checksum, data FROM figures WHERE kind = ? AND trial IN ({})"
_WRITE = "INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?, ?)"

# Longest wait for another process that writes, in seconds.
_PATIENCE = 10.0


class Row(NamedTuple):
    """Figures of one kind of one trial, as bytes."""

    kind: str
    trial: str
    key: str
    data: bytes


def read(run: Path, kind: str, keys: Mapping[str, str]) -> dict[str, bytes]:
    """Return the stored figures of a kind by trial, of those trials that have valid ones under their key."""
    path = _path(run)
    if _empty(path):
        return {}
    sql = _READ.format(", ".join("?" * len(keys)))
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, timeout=_PATIENCE, uri=True)) as database:
            rows = database.execute(sql, (kind, *keys)).fetchall()
    except sqlite3.Error as error:
        _remove_damaged(path, error)
        return {}
    return {
        trial: data
        for trial, key, checksum, data in rows
        if key == keys[trial] and checksum == _checksum(Row(kind, trial, key, data))
    }


def write(run: Path, rows: Sequence[Row]) -> bool:
    """Store figures; return False where that fails, as in a read-only folder."""
    path = _path(run)
    try:
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            _remove_older(path.parent)
        try:
            _insert(path, rows)
        except sqlite3.DatabaseError as error:
            if not _remove_damaged(path, error):
                raise
            _insert(path, rows)
    except (OSError, sqlite3.Error):
        return False
    return True


def _path(run: Path) -> Path:
    return run / layout.CACHE / _NAME


def _empty(path: Path) -> bool:
    try:
        # A file without content is not damaged: another process has created it, and has not committed yet.
        return path.stat().st_size == 0
    except OSError:
        return True


def _insert(path: Path, rows: Sequence[Row]) -> None:
    with closing(sqlite3.connect(path, timeout=_PATIENCE)) as database:
        database.execute("PRAGMA synchronous = OFF")
        with database:
            database.execute(_CREATE)
            database.executemany(_WRITE, _with_checksums(rows))


def _with_checksums(rows: Sequence[Row]) -> Iterator[tuple[str, str, str, bytes, bytes]]:
    for row in rows:
        yield row.kind, row.trial, row.key, _checksum(row), row.data


def _checksum(row: Row) -> bytes:
    result = blake2b(f"{row.kind}\0{row.trial}\0{row.key}\0".encode(), digest_size=20)
    result.update(row.data)
    return result.digest()


def _remove_damaged(path: Path, error: sqlite3.Error) -> bool:
    """Remove a file that is no database, or one of another version; return whether it was one.

    A locked or unreadable file stays.
    """
    codes = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
    # The lower byte is the kind of error, the others are details.
    if getattr(error, "sqlite_errorcode", 0) & 0xFF not in codes:
        return False
    with suppress(OSError):
        path.unlink()
        return True
    return False


def _remove_older(folder: Path) -> None:
    """Remove the entries of versions that had a file for each kind and trial.

    What cannot be read or removed, as a folder of a user, stays.
    """
    for path in folder.glob("*.*"):
        with suppress(OSError):
            if is_entry(path):
                path.unlink()
