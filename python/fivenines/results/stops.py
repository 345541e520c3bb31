"""Somebody asks a run to begin no further trial: a file in its folder, which it looks for between trials.

The file says whom it asks. One that was meant for a run that has ended since asks nobody, and the next one
removes it.
"""

import os
from contextlib import suppress
from pathlib import Path

from fivenines import locks
from fivenines.errors import UsageError
from fivenines.results import layout


def ask(folder: Path) -> locks.Holder:
    """Ask whoever runs in this folder to stop after the trial under way; who that is.

    Raises:
        UsageError: nobody does.
    """
    running = locks.active(folder / layout.LOCK)
    if running is None:
        raise UsageError(f"{folder.name} does not run now: there is nothing to stop")
    aside = folder / f".stop-{os.getpid()}.tmp"
    aside.write_text(f"{running.pid}\n", encoding="utf-8")
    aside.replace(folder / layout.STOP)
    return running


def is_asked(folder: Path) -> bool:
    """Return whether this process, which runs in the folder, was asked to stop."""
    return asked_of(folder) == os.getpid()


def asked_of(folder: Path) -> int | None:
    """Return the process that was asked, as its PID; None where nobody was."""
    with suppress(OSError, ValueError):
        return int((folder / layout.STOP).read_text(encoding="utf-8"))
    return None


def forget_others(folder: Path) -> None:
    """Forget what was asked of those that ran here before."""
    if not is_asked(folder):
        (folder / layout.STOP).unlink(missing_ok=True)
