"""Show a campaign's progress: live on a terminal, elsewhere as plain lines or JSON."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from fivenines.base.threads import Background
from fivenines.campaign.journal import line_of
from fivenines.cli.experiments.attended import How
from fivenines.cli.experiments.story import Clock, Story
from fivenines.cli.output import console
from fivenines.trial.progress import Listener, Progress

# Seconds between two plain lines of progress without an event.
EVERY = 5.0

Stamp = Callable[[], str]


def time_of_day() -> str:
    """Return the time of day, with which a line begins."""
    return f"{datetime.now():%H:%M:%S}"


@contextmanager
def listener(how: How = How.AUTO) -> Iterator[Listener]:
    """Return a listener for the duration of a campaign, that suits stderr unless `how` overrides it."""
    err = console.stderr()
    if how is How.JSON:
        yield as_json
    elif how is How.AUTO and err.is_terminal and not err.is_dumb_terminal:
        with live(err) as shown:
            yield shown
    else:
        lines = PlainLines(err)
        with _each_second(lines.look):
            yield lines


def as_json(event: Progress) -> None:
    """Print an event as a line of the journal (`results.journal`)."""
    console.as_line(line_of(event, time.time()))


class PlainLines:
    """Print events as permanent lines, and the progress in between every few seconds."""

    def __init__(self, out: Console, clock: Clock = time.monotonic, stamp: Stamp = time_of_day) -> None:
        self._out, self._clock, self._stamp = out, clock, stamp
        self._story = Story(clock)
        self._last, self._printed = clock(), ""
        self._lock = threading.Lock()

    def __call__(self, event: Progress) -> None:
        """Print the lines of an event."""
        with self._lock:
            before = self._story.headline
            for line in self._story.take(event):
                self._say(line)
            if self._story.headline != before:
                self._say(f"{self._story.headline} ({self._story.left()})")
            self._where()

    def look(self) -> None:
        """Print the progress while no event comes."""
        with self._lock:
            self._where()

    def _where(self) -> None:
        now, status = self._clock(), self._story.status
        if status and status != self._printed and now - self._last >= EVERY:
            self._last, self._printed = now, status
            self._say(f"  {status}")

    def _say(self, line: str) -> None:
        self._out.print(Text(f"{self._stamp()}  {line}"), soft_wrap=True)


@contextmanager
def _each_second(look: Callable[[], None]) -> Iterator[None]:
    over = threading.Event()

    def watch() -> None:
        while not over.wait(1.0):
            look()

    watcher = Background(target=watch, name="progress")
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


@contextmanager
def live(out: Console, clock: Clock = time.monotonic, stamp: Stamp = time_of_day) -> Iterator[Listener]:
    """Show three live lines at the bottom of the terminal, below permanent lines."""
    story = Story(clock)
    with Live(
        console=out, refresh_per_second=2, transient=True, get_renderable=lambda: panel(story)
    ) as shown:

        def listen(event: Progress) -> None:
            for line in story.take(event):
                # Lines wrap between words.
                shown.console.print(Text(f"{stamp()}  {line}"))

        yield listen


def panel(story: Story) -> RenderableType:
    """Return the live lines: the trial, its state, the campaign's progress."""
    headline = Text(story.headline, style="bold", overflow="ellipsis", no_wrap=True)
    status = Text(f"  {story.status}", overflow="ellipsis", no_wrap=True)
    bar = ProgressBar(total=story.total or None, completed=story.done, width=30)
    count = Text(f"{story.done}/{story.total}  {story.left()}" if story.total else "preparing")
    return Group(headline, status, Columns([bar, count], padding=(0, 2)))
