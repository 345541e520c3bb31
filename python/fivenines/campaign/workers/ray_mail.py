"""Carries the events of trials from the machines of a Ray cluster to the controller."""

import threading
from typing import Any

from fivenines.base.threads import Background
from fivenines.trial.progress import Listener, Progress

# Polling interval for events in seconds.
_BETWEEN = 0.25


class Post:
    """An actor that buffers events for the controller."""

    def __init__(self) -> None:
        self._boxes: dict[str, list[Progress]] = {}

    def put(self, box: str, event: Progress) -> None:
        """Buffer an event."""
        self._boxes.setdefault(box, []).append(event)

    def take(self) -> dict[str, list[Progress]]:
        """Return and remove all buffered events."""
        result, self._boxes = self._boxes, {}
        return result


class Mail:
    """Polls for events while a listener is registered."""

    def __init__(self, ray: Any, post: Any) -> None:
        self._ray, self._post = ray, post
        self._listeners: dict[str, Listener] = {}
        self._delivering = threading.Lock()
        self._awaited = threading.Event()
        Background(target=self._deliver_always, name="events").start()

    def open(self, box: str, listener: Listener) -> None:
        """Register a listener for the events of a box."""
        self._listeners[box] = listener
        self._awaited.set()

    def close(self, box: str) -> None:
        """Deliver the remaining events, and unregister the listener."""
        try:
            self._deliver()
        finally:
            self._listeners.pop(box, None)

    def _deliver(self) -> None:
        # One delivery at a time, so that events keep their order.
        with self._delivering:
            for box, events in self._ray.get(self._post.take.remote()).items():
                if (listener := self._listeners.get(box)) is not None:
                    for event in events:
                        listener(event)

    def _deliver_always(self) -> None:
        pause = threading.Event()
        while True:
            self._awaited.wait()
            if not self._listeners:
                self._awaited.clear()
            try:
                self._deliver()
            except Exception:
                # The thread that waits for the trial gets the same error and reports it.
                self._awaited.clear()
            pause.wait(_BETWEEN)
