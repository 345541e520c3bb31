"""Whose a run's folder is now: one process at a time writes to it, resumes it or removes it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fivenines import locks
from fivenines.results import layout

_ADVICE = "wait until that ends, or end it there"


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Hold a run's folder, which is made where it is not there; without anything in it, it goes again.

    Raises:
        UsageError: another process holds it; says which.
    """
    made = not folder.exists()
    try:
        with locks.held(folder / layout.LOCK, str(folder), _ADVICE, remove=True):
            # of a writer that was killed
            for stale in [*folder.glob(".*.tmp"), *folder.glob(f"{layout.CACHE}/.*.tmp")]:
                stale.unlink(missing_ok=True)
            yield
    finally:
        if made:
            _remove_empty(folder)


def require_unclaimed(folder: Path) -> None:
    """Refuse if another process holds a run's folder now.

    Raises:
        UsageError: with who it is.
    """
    locks.require_free(folder / layout.LOCK, str(folder), _ADVICE)


def begun(folder: Path) -> bool:
    """Return whether a folder holds more than what a run puts down before its manifest."""
    if not folder.is_dir():
        return folder.exists()
    first = {layout.LOCK, layout.SOURCE, layout.TRIALS, *layout.BESIDE}
    result = {path.name for path in folder.iterdir() if not path.name.endswith(".tmp")}
    trials = folder / layout.TRIALS
    return bool(result - first) or (trials.is_dir() and any(trials.iterdir()))


def deserter(folder: Path) -> locks.Holder | None:
    """Who held the folder and ended without giving it up: it was killed. None where nobody did."""
    held = locks.holders(folder / layout.LOCK)
    return held[-1] if held and not held[-1].alive else None


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
