"""Tells the events of a trial as they happen: each once, in the order of their moments."""

import threading
from collections.abc import Callable

from fivenines.results.records import Event

# Seconds between two looks, one of which reads what the failover manager has logged.
EVERY = 0.1


class Reporter:
    """Looks for events in a thread of its own, from `start` to `stop`.

    Args:
        events: all that are known so far.
        hold: whether to wait, as the moment of something is not known yet.
        tell: told each; those from before the load are left out.
    """

    def __init__(
        self, events: Callable[[], list[Event]], hold: Callable[[], bool], tell: Callable[[Event], None]
    ) -> None:
        self._events = events
        self._hold = hold
        self._tell = tell
        self._told: set[tuple[float, str, str]] = set()
        self._over = threading.Event()
        self._news = threading.Event()
        self._thread = threading.Thread(target=self._run, name="teller", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def look(self) -> None:
        """Something has happened: look now."""
        self._news.set()

    def stop(self) -> None:
        """Tell what is left, and end."""
        if self._thread.is_alive():
            self._over.set()
            self._news.set()
            self._thread.join()
            self._tell_new()

    def _run(self) -> None:
        while not self._over.is_set():
            self._news.wait(EVERY)
            self._news.clear()
            if not self._hold():
                self._tell_new()

    def _tell_new(self) -> None:
        try:
            known = self._events()
        except Exception:
            return  # the record says what went wrong; the next look may fare better
        for event in known:
            key = (event.t, event.kind, event.node)
            if event.t >= 0 and key not in self._told:
                self._told.add(key)
                self._tell(event)
