"""Keep files private: no other account may read them unless the user shares them.

The program, the keeper and all processes that they start use the umask 077: folders are 0700,
files, sockets and pipes 0600. Sources: umask(2), path_resolution(7).
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.base.errors import UsageError

_OTHERS = 0o077


def begin() -> None:
    """Make files of this process and its children private from now on."""
    os.umask(_OTHERS)


@contextmanager
def alone() -> Iterator[None]:
    """Make files private within the context, also in a process that did not call `begin`."""
    before = os.umask(_OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def close(folder: Path) -> str:
    """Close a folder to other accounts; return a message if it was open, else an empty text.

    Raises:
        UsageError: the folder is shared by all accounts, as /tmp, or it cannot be closed.
    """
    try:
        found = folder.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    mode = stat.S_IMODE(found)
    if not stat.S_ISDIR(found) or not mode & _OTHERS:
        return ""
    if mode & stat.S_ISVTX:
        raise UsageError(f"{folder} is shared by all accounts of this machine: choose another folder")
    try:
        folder.chmod(mode & ~_OTHERS)
    except OSError as error:
        raise UsageError(
            f"{folder} is open to other accounts of this machine and cannot be closed "
            f"({error.strerror}): choose another folder"
        ) from error
    return f"{folder} was open to other accounts of this machine: it is now closed (mode 0700)"


def share(path: Path) -> str:
    """Let every account of this machine read a file, or a folder and its contents.

    Returns a message about a parent folder that other accounts may not enter; empty if there is none.
    """
    for one in [path, *(path.rglob("*") if path.is_dir() else ())]:
        if not one.is_symlink():
            one.chmod(one.stat().st_mode | (0o055 if one.is_dir() else 0o044))
    closed = [parent for parent in path.absolute().parents if not parent.stat().st_mode & stat.S_IXOTH]
    return f"other accounts may not enter {closed[0]}" if closed else ""
