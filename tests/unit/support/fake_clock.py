"""A clock for tests: sleeping takes no time, and is seen by all who read the clock."""

import threading
import time

from fivenines.waiting import Clock


class FakeClock:
    """Stands in for the module `time` where the product waits.

    A sleep moves the clock forward and lets other threads run. So a wait of an hour ends at once, and what
    is awaited can still happen before its deadline.
    """

    def __init__(self, now: float = 1000.0) -> None:
        self._now = now
        self._lock = threading.Lock()

    def monotonic(self) -> float:
        """Return the sum of all sleeps, from where the clock began."""
        return self._now

    def monotonic_ns(self) -> int:
        """Return the same in nanoseconds."""
        return int(self._now * 1e9)

    def sleep(self, seconds: float) -> None:
        """Move the clock forward."""
        with self._lock:
            self._now += seconds
        time.sleep(0)

    def clock(self) -> Clock:
        """Return the same as what `fivenines.waiting` takes."""
        return Clock(self.monotonic, self.sleep)
