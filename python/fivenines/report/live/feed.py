"""Stream a run to viewers: its whole state, then the changes.

There is no queue. A viewer is a position in the known data (`Place`), and receives all newer data when it
reads: a slow viewer gets fewer and larger messages, delays no other viewer and needs no memory here.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fivenines.campaign.remaining import seconds_left
from fivenines.report.live import runs
from fivenines.report.live.live import Change, LiveFiles, Tick
from fivenines.report.live.state import RunState
from fivenines.report.live.usage import Usage
from fivenines.results import journal, layout, stops
from fivenines.results.journal import Tail, parsed

Json = dict[str, Any]

# Seconds between two polls of the run's files, while there are viewers.
LOOK = 0.1

# Seconds until the next message if nothing happens: viewers take silence for a lost connection.
BEAT = 1.0

# Largest number of figures kept of a trial: 20 minutes.
MOST = 12_000


@dataclass
class Place:
    """The position of a viewer."""

    generation: int = -1
    version: int = 0
    ticks: int = 0
    changes: int = 0
    events: int = 0


@dataclass
class Feed:
    """Follow a run while it has viewers.

    Args:
        folder: the run.
        usage: the CPU usage of the page.
    """

    folder: Path
    usage: Usage
    viewers: int = 0
    _state: RunState = field(default_factory=RunState)
    _live: LiveFiles | None = None
    _generation: int = 0
    _version: int = 0
    _row_versions: dict[str, int] = field(default_factory=dict)
    _ticks: list[Tick] = field(default_factory=list)
    _dropped: int = 0
    _changes: list[Change] = field(default_factory=list)
    _looking: "asyncio.Task[None] | None" = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._tail = Tail(journal.path(self.folder))

    async def messages(self) -> AsyncIterator[tuple[str, Json]]:
        """Yield messages without end: the kind (`whole`, `part`) and the content."""
        self.viewers += 1
        try:
            if self._looking is None:
                self._look()
                self._looking = asyncio.create_task(self._keep_looking())
            place = Place()
            while True:
                news = self._news
                yield self._message(place)
                with suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), BEAT)
        finally:
            self.viewers -= 1
            if not self.viewers and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    @property
    def options(self) -> Json:
        """Return the options with which the run was started, for continuing it."""
        self._look()
        return self._state.options

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            if self._look():
                self._news, news = asyncio.Event(), self._news
                news.set()

    def _look(self) -> bool:
        """Read new data; return whether there is any."""
        lines = parsed(self._tail.read())
        for line in lines:
            before = self._state.trial
            self._state.apply(line)
            shown = self._state.trial
            begins = line["event"] in ("trial-started", "load-started", "trial-broken")
            if shown is not None and (shown is not before or (begins and line["trial"] == shown["id"])):
                self._begin_trial()
        if not self._state.rows or any(line["event"] == "campaign-started" for line in lines):
            self._state.plan(runs.planned(self.folder))
            for trial in runs.complete(self.folder):
                self._state.done(trial)
        fresh = self._figures()
        for row in self._state.take_changed():
            self._row_versions[row["id"]] = self._version + 1
        if lines or fresh:
            self._version += 1
        return bool(lines or fresh)

    def _begin_trial(self) -> None:
        trial = self._state.trial
        self._generation += 1
        self._ticks, self._changes, self._dropped = [], [], 0
        part = layout.part_folder(self.folder, trial["id"]) if trial else None
        self._live = LiveFiles(part) if part else None

    def _figures(self) -> bool:
        if self._live is None:
            return False
        ticks, changes = self._live.ticks(), self._live.changes()
        self._ticks += ticks
        self._changes += changes
        if (beyond := len(self._ticks) - MOST) > 0:
            del self._ticks[:beyond]
            self._dropped += beyond
        return bool(ticks or changes)

    def _message(self, place: Place) -> tuple[str, Json]:
        """Return the data that a viewer does not have yet, and move its position to the end."""
        whole = place.generation < 0
        begins = place.generation != self._generation
        if begins:
            place.ticks, place.changes, place.events = self._dropped, 0, 0
        rows = [
            row
            for trial, row in self._state.rows.items()
            if whole or self._row_versions.get(trial, 0) > place.version
        ]
        content: Json = {"head": self._head(), "begins": begins}
        content |= {"rows": rows} if rows or whole else {}
        first = max(0, place.ticks - self._dropped)
        for key, known, since in (
            ("ticks", self._ticks, first),
            ("changes", self._changes, place.changes),
            ("events", self._state.events, min(place.events, len(self._state.events))),
        ):
            content |= {key: known[since:]} if known[since:] else {}
        place.generation, place.version = self._generation, self._version
        place.ticks = self._dropped + len(self._ticks)
        place.changes, place.events = len(self._changes), len(self._state.events)
        return ("whole" if whole else "part"), content

    def _head(self) -> Json:
        state, now = self._state, time.time()
        running = runs.holder(self.folder)
        runs_for = sum(max(0.0, now - one["began"]) for one in state.running.values())
        left = seconds_left(
            state.total, state.over, state.expected, state.durations, runs_for / state.at_once, state.at_once
        )
        done = sum(row["state"] == "done" for row in state.rows.values())
        planned = sum(row["state"] != "spared" for row in state.rows.values())
        return {
            "name": self.folder.absolute().name,
            "at": round(now, 3),
            "status": self._status(running is not None, planned == done),
            "by": str(running or ""),
            "done": done,
            "planned": planned,
            "preparing": state.preparing,
            "seconds_left": round(left, 1) if left is not None and running else None,
            "trial": state.trial if running else None,
            "messages": state.messages,
            "report": bool(done),
            "cpu": self.usage.look(),
            "viewers": self.viewers,
        }

    def _status(self, running: bool, complete: bool) -> str:
        """Return running, stopping, finished, stopped, or interrupted if its process was killed."""
        if running:
            stopping = stops.asked_of(self.folder)
            process = runs.holder(self.folder)
            return "stopping" if process is not None and stopping == process.pid else "running"
        if self._state.rows and complete:
            return "finished"
        return "stopped" if self._state.closed else "interrupted"
