"""Progress reports of the computation of figures. Imports nothing, so that any command can listen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Callback with the number of finished trials and their total, while missing figures are computed.
Listener = Callable[[int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Report progress to a listener within this context, in this thread."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_progress(done: int, total: int) -> None:
    """Report that `done` of `total` trials are finished."""
    if (listener := _listener.get()) is not None:
        listener(done, total)
