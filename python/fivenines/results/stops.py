"""Requests to stop a run after its current trial: a file in its folder, which the run checks between trials.

The file has the PID of the run. A file that was meant for an earlier run has no effect, and the next run
removes it.
"""

import os
from contextlib import suppress
from pathlib import Path

from fivenines.base import locks
from fivenines.base.errors import UsageError
from fivenines.results import layout


def ask(folder: Path) -> locks.Holder:
    """Request that the run in this folder stops after its current trial; return its process.

    Raises:
        UsageError: no run is active in this folder.
    """
    running = locks.active(folder / layout.LOCK)
    if running is None:
        raise UsageError(f"{folder.name} is not running: there is nothing to stop")
    aside = folder / f".stop-{os.getpid()}.tmp"
    aside.write_text(f"{running.pid}\n", encoding="utf-8")
    aside.replace(folder / layout.STOP)
    return running


def is_asked(folder: Path) -> bool:
    """Return whether this process, which runs in the folder, was asked to stop."""
    return asked_of(folder) == os.getpid()


def asked_of(folder: Path) -> int | None:
    """Return the PID of the process that was asked to stop; None without a request."""
    with suppress(OSError, ValueError):
        return int((folder / layout.STOP).read_text(encoding="utf-8"))
    return None


def forget_others(folder: Path) -> None:
    """Remove a request that was meant for an earlier run in this folder."""
    if not is_asked(folder):
        (folder / layout.STOP).unlink(missing_ok=True)
