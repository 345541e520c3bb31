"""Paths of the user's cache, the runs and the running deployment.

The functions create nothing; the writer creates the folder.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def cache() -> Path:
    """Return the folder of engines, data sets and crash logs, which can be deleted.

    `$FIVENINES_CACHE`, else `$XDG_CACHE_HOME/fivenines`, else `~/.cache/fivenines`. A relative
    `XDG_CACHE_HOME` is ignored, as the XDG Base Directory Specification demands.
    """
    own = os.environ.get("FIVENINES_CACHE", "")
    if own:
        return Path(own).expanduser().absolute()
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(xdg) if Path(xdg).is_absolute() else Path.home() / ".cache"
    return base / "fivenines"


def runs() -> Path:
    """Return the default folder of runs, `./runs`."""
    return Path("runs")


def playground() -> Path:
    """Return the folder of the running deployment."""
    return cache() / "playground"


def crashes() -> Path:
    """Return the folder of logs of unexpected errors."""
    return cache() / "crashes"


@contextmanager
def short_path(folder: Path) -> Iterator[str]:
    """Return a short path of a folder, as the path of a Unix socket has at most 107 bytes (unix(7))."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)
