"""Reports the events of a trial as they happen: each once, in chronological order."""

import threading
from collections.abc import Callable

from fivenines.base.threads import Background
from fivenines.results.records import Event

# Polling interval in seconds; each poll reads the failover manager's log.
EVERY = 0.1


class Reporter:
    """Polls for events in a separate thread, from `start` to `stop`.

    Args:
        events: returns all known events.
        hold: returns whether to wait, as the time of an event is not known yet.
        tell: called with each event since the start of the load.
    """

    def __init__(
        self, events: Callable[[], list[Event]], hold: Callable[[], bool], tell: Callable[[Event], None]
    ) -> None:
        self._events = events
        self._hold = hold
        self._tell = tell
        self._reported: set[tuple[float, str, str]] = set()
        self._over = threading.Event()
        self._news = threading.Event()
        self._thread = Background(target=self._run, name="teller")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def look(self) -> None:
        """Poll now, after a change."""
        self._news.set()

    def stop(self) -> None:
        """Report the remaining events, and end."""
        if self._thread.is_alive():
            self._over.set()
            self._news.set()
            self._thread.join()
            self._report_new()

    def _run(self) -> None:
        while not self._over.is_set():
            self._news.wait(EVERY)
            self._news.clear()
            if not self._hold():
                self._report_new()

    def _report_new(self) -> None:
        try:
            known = self._events()
        except Exception:
            return  # the record has the error; the next poll may succeed
        for event in known:
            key = (event.t, event.kind, event.node)
            if event.t >= 0 and key not in self._reported:
                self._reported.add(key)
                self._tell(event)
