"""Where fivenines keeps what it makes: the cache of the user, the runs, the playground's state.

Nothing is created here; whoever writes makes the folder.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def cache() -> Path:
    """Engines, data sets and crash logs: all that can be made anew.

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
    """Where runs lie unless `--out` says otherwise: `./runs`."""
    return Path("runs")


def playground() -> Path:
    """State of the solution that `fivenines up` has brought up."""
    return cache() / "playground"


def crashes() -> Path:
    """Logs of unexpected errors."""
    return cache() / "crashes"


@contextmanager
def short_path(folder: Path) -> Iterator[str]:
    """A short name of a folder: the path of a unix socket must fit into 107 bytes (unix(7))."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)
