"""Says how far the computing of figures is, where that takes long; once kept, there is nothing to say."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from fivenines.analysis.listening import listening
from fivenines.cli import console

PATIENCE = 2.0
"""So many seconds nobody wonders."""

_ERASE = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))

EVERY = 5.0
"""Seconds between two lines where they stay."""


@contextmanager
def told(clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Tell of it on stderr: in one line that goes again on a terminal, in lines elsewhere."""
    shown = _Shown(console.stderr(), clock)
    with listening(shown.tell):
        try:
            yield
        finally:
            shown.clear()


class _Shown:
    """What stands on stderr."""

    def __init__(self, out: Console, clock: Callable[[], float]) -> None:
        self._out, self._clock = out, clock
        self._next = 0.0
        self._done: int | None = None
        self._line = False

    def tell(self, done: int, total: int) -> None:
        """Figures of so many of the run's trials are there."""
        now = self._clock()
        others = self._done is None or done <= self._done
        if others:
            self._next = now + PATIENCE
        self._done = done
        live = self._out.is_terminal and not self._out.is_dumb_terminal
        if now < self._next:
            return
        self._next = now + (0.0 if live else EVERY)
        text = f"computing the figures of trials, kept for the next time: {done:,} of {total:,}"
        if live:
            self.clear()
            self._out.print(Text(text), end="\r", soft_wrap=True)
            self._line = True
        else:
            self._out.print(Text(text), soft_wrap=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._line:
            self._out.control(_ERASE)
            self._line = False
