"""Who else on this machine may read what fivenines makes: nobody, unless it is shared on purpose.

The program, the playground's keeper and all that they start make files under the umask 077: folders are 0700,
files, sockets and pipes 0600. Sources: umask(2), path_resolution(7).
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.errors import UsageError

_OTHERS = 0o077


def begin() -> None:
    """From now on what this process, and whatever it starts, makes belongs to its account alone."""
    os.umask(_OTHERS)


@contextmanager
def alone() -> Iterator[None]:
    """The same until it is left, also in a process that did not begin so: for what outlives it."""
    before = os.umask(_OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def close(folder: Path) -> str:
    """Take away what others may do in a folder; a sentence about it if it was open, else empty.

    Raises:
        UsageError: it is a place for everybody, as /tmp, or it cannot be closed.
    """
    try:
        found = folder.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    mode = stat.S_IMODE(found)
    if not stat.S_ISDIR(found) or not mode & _OTHERS:
        return ""
    if mode & stat.S_ISVTX:
        raise UsageError(f"{folder} is for everybody on this machine: choose a folder of its own")
    try:
        folder.chmod(mode & ~_OTHERS)
    except OSError as error:
        raise UsageError(
            f"{folder} is open to other accounts of this machine and could not be closed "
            f"({error.strerror}): choose a folder of your own"
        ) from error
    return f"{folder} was open to other accounts of this machine: it is closed now (mode 0700)"


def share(path: Path) -> str:
    """Let every account of this machine read a file, or a folder with all that is in it.

    Returns what still keeps others out: a folder above it that they may not enter; empty if nothing.
    """
    for one in [path, *(path.rglob("*") if path.is_dir() else ())]:
        if not one.is_symlink():
            one.chmod(one.stat().st_mode | (0o055 if one.is_dir() else 0o044))
    closed = [one for one in path.absolute().parents if not one.stat().st_mode & stat.S_IXOTH]
    return f"other accounts may not enter {closed[0]}" if closed else ""
