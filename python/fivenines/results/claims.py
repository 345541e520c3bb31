"""The lock of a run's folder: one process at a time writes to it, resumes it or removes it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fivenines.base import locks
from fivenines.results import layout

_ADVICE = "wait until that ends, or end it there"


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Lock a run's folder; create it if it does not exist, and remove it if it stays empty.

    Raises:
        UsageError: another process holds the lock; the message names it.
    """
    made = not folder.exists()
    try:
        with locks.held(folder / layout.LOCK, str(folder), _ADVICE, remove=True):
            # A writer that was killed leaves temporary files.
            for stale in [*folder.glob(".*.tmp"), *folder.glob(f"{layout.CACHE}/.*.tmp")]:
                stale.unlink(missing_ok=True)
            yield
    finally:
        if made:
            _remove_empty(folder)


def require_unclaimed(folder: Path) -> None:
    """Check that no other process holds the lock of a run's folder.

    Raises:
        UsageError: another process holds it; the message names it.
    """
    locks.require_free(folder / layout.LOCK, str(folder), _ADVICE)


def begun(folder: Path) -> bool:
    """Return whether a folder contains more than a run writes before its manifest."""
    if not folder.is_dir():
        return folder.exists()
    first = {layout.LOCK, layout.SOURCE, layout.TRIALS, *layout.PROGRESS_FILES}
    result = {path.name for path in folder.iterdir() if not path.name.endswith(".tmp")}
    trials = folder / layout.TRIALS
    return bool(result - first) or (trials.is_dir() and any(trials.iterdir()))


def deserter(folder: Path) -> locks.Holder | None:
    """Return the process that was killed while it held the lock; None without one."""
    held = locks.holders(folder / layout.LOCK)
    return held[-1] if held and not held[-1].alive else None


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
