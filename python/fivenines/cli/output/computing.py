"""Show the progress of computing figures if it takes long; computed figures are cached."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from fivenines.analysis.listening import listening
from fivenines.cli.output import console

# Seconds until progress is shown.
PATIENCE = 2.0

_ERASE = Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2))

# Seconds between two progress lines without a terminal.
EVERY = 5.0


@contextmanager
def shown(clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Show progress on stderr: one line that is erased on a terminal, separate lines elsewhere."""
    progress = _Progress(console.stderr(), clock)
    with listening(progress.show):
        try:
            yield
        finally:
            progress.clear()


class _Progress:
    """The progress shown on stderr."""

    def __init__(self, out: Console, clock: Callable[[], float]) -> None:
        self._out, self._clock = out, clock
        self._next = 0.0
        self._done: int | None = None
        self._line = False

    def show(self, done: int, total: int) -> None:
        """Show how many of the run's trials have figures."""
        now = self._clock()
        others = self._done is None or done <= self._done
        if others:
            self._next = now + PATIENCE
        self._done = done
        live = self._out.is_terminal and not self._out.is_dumb_terminal
        if now < self._next:
            return
        self._next = now + (0.0 if live else EVERY)
        text = f"computing and caching the figures of trials: {done:,} of {total:,}"
        if live:
            self.clear()
            self._out.print(Text(text), end="\r", soft_wrap=True)
            self._line = True
        else:
            self._out.print(Text(text), soft_wrap=True)

    def clear(self) -> None:
        """Erase the line."""
        if self._line:
            self._out.control(_ERASE)
            self._line = False
