"""A clock for tests: sleeping takes no time, and is seen by all who read the clock."""

import threading
import time
from collections.abc import Callable

from fivenines.base.waiting import Clock


class FakeClock:
    """Stands in for the module `time` where the product waits.

    A sleep moves the clock forward and lets other threads run. So a wait of an hour ends at once, and what
    is awaited can still happen before its deadline.
    """

    def __init__(self, begin: Callable[[], float] = time.monotonic) -> None:
        """Read `begin` for what has passed without a sleep; by default the machine's own clock."""
        self._begin = begin
        self._slept = 0.0
        self._lock = threading.Lock()

    def monotonic(self) -> float:
        """Return seconds, with all sleeps."""
        return self._begin() + self._slept

    def monotonic_ns(self) -> int:
        """Return the same in nanoseconds."""
        return int(self.monotonic() * 1e9)

    def sleep(self, seconds: float) -> None:
        """Move the clock forward."""
        with self._lock:
            self._slept += seconds
        time.sleep(0)

    def clock(self) -> Clock:
        """Return the same as what `fivenines.base.waiting` takes."""
        return Clock(self.monotonic, self.sleep)
