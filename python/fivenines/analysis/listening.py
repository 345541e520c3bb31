"""Who is told how the computing of figures goes. It imports nothing, so that any command can listen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Told how many of how many trials are done, while figures are computed that were not there.
Listener = Callable[[int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def told_to(listener: Listener) -> Iterator[None]:
    """Tell somebody how the computing goes, as long as this lasts, in this thread."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(done: int, total: int) -> None:
    """So many of so many trials are done."""
    if (listener := _listener.get()) is not None:
        listener(done, total)
