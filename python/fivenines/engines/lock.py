"""One writer at a time in the shared cache."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(file: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock `file`; calls `waiting` once when somebody else holds it. The kernel frees it at exit."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
