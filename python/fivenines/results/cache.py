"""What was computed from a trial's files, kept in the run's folder: `cache/<trial>.<kind>`.

An entry is used only for what it was made from: its first line has a key of the files' names, sizes and times
of change and of whoever computed it, and a checksum of the rest. One that does not fit, is cut short or is
damaged counts as absent. So the folder can be removed at any time: all that is in it can be computed again.
Entries appear whole, by a rename; they are not forced to the disk, as what a loss of power leaves is not
believed.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from fivenines.results import layout

_MAGIC = b"fivenines-cache-1"


def place_of(trial: Path, kind: str) -> Path | None:
    """Return where the entry of a trial's folder lies; None where that is not in a run's folder."""
    if trial.parent.name != layout.TRIALS:
        return None
    return trial.parent.parent / layout.CACHE / f"{trial.name}.{kind}"


def key_of(trial: Path, *made_by: str) -> str:
    """Return a text that changes with the files of a trial, and with who made something of them.

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


def read(path: Path, key: str) -> bytes | None:
    """Return what was kept under this key; None where there is nothing that can be believed."""
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
    """Keep something; False where that cannot be, as in a folder that may only be read."""
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
