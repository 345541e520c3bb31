"""Cache of results that are computed from a run's files, in the run's folder `cache`.

An entry is a file. Its first line has a key and a checksum of the rest. An entry with another key, or a
truncated or damaged one, counts as absent. The folder can be removed at any time: its content can be computed
again. Entries appear whole, by a rename. They are not synchronised to disk: the checksum detects a torn one.

Figures of trials are rows of one file (`figure_store`). Their key covers the names, sizes and times of change
of the trial's files, and the program that computed them.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

_MAGIC = b"fivenines-cache-1"


def key_of(trial: Path, *made_by: str) -> str:
    """Return a key that changes with the files of a trial, and with the program (`made_by`).

    Raises:
        OSError: the folder cannot be read.
    """
    result: list[Sequence[object]] = []
    with os.scandir(trial) as files:
        for file in files:
            if file.is_file():
                known = file.stat()
                result.append((file.name, known.st_size, known.st_mtime_ns))
    return hashlib.blake2b(repr((made_by, sorted(result, key=repr))).encode(), digest_size=20).hexdigest()


def is_entry(path: Path) -> bool:
    """Return whether a file is an entry, under any key.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def read(path: Path, key: str) -> bytes | None:
    """Return the data stored under this key; None without a valid entry."""
    try:
        with path.open("rb") as file:
            head = file.readline(200)
            if not head.startswith(_MAGIC + b" " + key.encode() + b" "):
                return None
            data = file.read()
    except OSError:
        return None
    return data if head == _head(key, data) else None


def write(path: Path, key: str, data: bytes) -> bool:
    """Store data under a key; return False where that fails, as in a read-only folder."""
    temporary = None
    try:
        path.parent.mkdir(exist_ok=True)
        with NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=".tmp", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(_head(key, data) + data)
        temporary.replace(path)
    except OSError:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
        return False
    return True


def _head(key: str, data: bytes) -> bytes:
    checksum = hashlib.blake2b(data, digest_size=20).hexdigest()
    return b" ".join([_MAGIC, key.encode(), checksum.encode()]) + b"\n"
