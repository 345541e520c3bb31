"""Shows a campaign's progress: live on a terminal, as plain lines every few seconds elsewhere, or as JSON."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from fivenines.cli import console
from fivenines.cli.attended import How
from fivenines.cli.story import Clock, Story
from fivenines.runner.journal import line_of
from fivenines.runner.progress import Listener, Progress

EVERY = 5.0
"""Seconds between two plain lines that only say where the campaign is."""

Stamp = Callable[[], str]


def time_of_day() -> str:
    """When something happened, as a line begins with it."""
    return f"{datetime.now():%H:%M:%S}"


@contextmanager
def listener(how: How = How.AUTO) -> Iterator[Listener]:
    """A listener for the duration of a campaign, fit for where stderr leads, unless `how` says otherwise."""
    err = console.stderr()
    if how is How.JSON:
        yield as_json
    elif how is How.AUTO and err.is_terminal and not err.is_dumb_terminal:
        with live(err) as shown:
            yield shown
    else:
        yield plain(err)


def as_json(event: Progress) -> None:
    """A line of the journal (`results.journal`), and one for each second of load."""
    console.as_line(line_of(event, time.time()))


def plain(out: Console, clock: Clock = time.monotonic, stamp: Stamp = time_of_day) -> Listener:
    """Lines that stay; between them, every few seconds at most, where the campaign is."""
    story = Story(clock)
    last, said = clock(), ""

    def say(line: str) -> None:
        out.print(Text(f"{stamp()}  {line}"), soft_wrap=True)

    def listen(event: Progress) -> None:
        nonlocal last, said
        before = story.headline
        for line in story.tell(event):
            say(line)
        if story.headline != before:
            say(f"{story.headline} ({story.left()})")
        now = clock()
        if story.status and story.status != said and now - last >= EVERY:
            last, said = now, story.status
            say(f"  {story.status}")

    return listen


@contextmanager
def live(
    out: Console, clock: Clock = time.monotonic, stamp: Stamp = time_of_day
) -> Iterator[Listener]:
    """Three lines at the bottom of the terminal that change, and lines above them that stay."""
    story = Story(clock)
    with Live(
        console=out,
        refresh_per_second=2,
        transient=True,
        get_renderable=lambda: panel(story),
    ) as shown:

        def listen(event: Progress) -> None:
            for line in story.tell(event):
                # folded between words
                shown.console.print(Text(f"{stamp()}  {line}"))

        yield listen


def panel(story: Story) -> RenderableType:
    """The lines that change: which trial, what it does, how far the campaign is."""
    headline = Text(story.headline, style="bold", overflow="ellipsis", no_wrap=True)
    status = Text(f"  {story.status}", overflow="ellipsis", no_wrap=True)
    bar = ProgressBar(total=story.total or None, completed=story.done, width=30)
    count = Text(f"{story.done}/{story.total}  {story.left()}" if story.total else "preparing")
    return Group(headline, status, Columns([bar, count], padding=(0, 2)))
