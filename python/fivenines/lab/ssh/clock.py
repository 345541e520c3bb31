"""Measure the offset of another machine's clocks from ours, and its error.

One request gives an interval: the other clock was read between our sending and our receiving. The shortest of
several intervals is used, as in NTP's clock filter (RFC 5905, section 10). The offset is taken at its middle,
so the error is half of the round trip. If later offsets differ by more than both errors, the clocks drift,
and the drift is added to the error.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background

# Reads the clocks N times: our clock before and after, their wall clock, their monotonic clock; nanoseconds.
Asked = Callable[[int], Sequence[tuple[int, int, int, int]]]

TIMES = 8
# Requests per reading, and seconds between two readings.
PERIOD = 2.0


@dataclass(frozen=True)
class Reading:
    """One reading of the clocks, in nanoseconds.

    Attributes:
        at: our CLOCK_MONOTONIC.
        offset: their CLOCK_MONOTONIC minus ours.
        day: their wall clock minus our CLOCK_MONOTONIC.
        error: maximum error of both offsets.
    """

    at: int
    offset: int
    day: int
    error: int


def reading(asked: Sequence[tuple[int, int, int, int]]) -> Reading:
    """Return the reading with the smallest error from several requests."""
    before, after, day, monotonic = min(asked, key=lambda request: request[1] - request[0])
    middle = (before + after) // 2
    return Reading(middle, monotonic - middle, day - middle, (after - before + 1) // 2)


class Clock:
    """A machine's clocks, read periodically until `stop`.

    Args:
        ask: reads the clocks of the machine.
        period: seconds between two readings.
    """

    def __init__(self, ask: Asked, period: float = PERIOD) -> None:
        self._ask = ask
        self._period = period
        self._ended = threading.Event()
        self.readings: list[Reading] = [reading(ask(TIMES))]
        self._thread = Background(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(self._period):
            self.look()

    def look(self) -> None:
        """Read the clocks once more; a machine that does not answer adds no reading."""
        try:
            self.readings.append(reading(self._ask(TIMES)))
        except FiveninesError:
            return

    def stop(self) -> None:
        """Stop reading the clocks."""
        self._ended.set()
        self._thread.join(PERIOD)

    def near(self, moment: int) -> Reading:
        """Return the reading with the smallest error for a moment of our CLOCK_MONOTONIC.

        The error of a reading grows with its distance from the moment, at the drift rate of the clocks.
        """
        drift = self._rate()

        def error(candidate: Reading) -> float:
            return candidate.error + drift * abs(candidate.at - moment)

        best = min(self.readings, key=error)
        return Reading(best.at, best.offset, best.day, round(error(best)))

    def _rate(self) -> float:
        """Return the minimum drift rate of the clocks that the readings prove."""
        first, last = self.readings[0], self.readings[-1]
        if last.at <= first.at:
            return 0.0
        beyond = abs(last.offset - first.offset) - first.error - last.error
        return max(0.0, beyond) / (last.at - first.at)

    def ours(self, theirs: int) -> int:
        """Convert their CLOCK_MONOTONIC to ours, in nanoseconds."""
        guess = theirs - self.readings[-1].offset
        return theirs - self.near(guess).offset

    def theirs(self, ours: int) -> int:
        """Convert our CLOCK_MONOTONIC to theirs, in nanoseconds."""
        return ours + self.near(ours).offset

    def day_ahead(self) -> int:
        """Return their wall clock minus ours, in nanoseconds."""
        now = time.monotonic_ns()
        return self.near(now).day - (time.time_ns() - now)

    def drift(self) -> int:
        """Return the drift of the clocks since the first reading, in nanoseconds."""
        return self.readings[-1].offset - self.readings[0].offset

    def worst(self) -> int:
        """Return the largest error at the times of all readings, in nanoseconds."""
        return max(self.near(reading.at).error for reading in self.readings)
