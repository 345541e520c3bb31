"""How another machine's clocks stand to ours, and how well that is known.

One question gives an interval: theirs was read between our sending and our receiving. The shortest of several
is kept, as in NTP's clock filter (RFC 5905, section 10); the offset is taken in its middle, so the error is
half of the round trip. What later offsets differ by, beyond both errors, is added: the clocks drift.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.errors import FiveninesError

Asked = Callable[[int], Sequence[tuple[int, int, int, int]]]
"""Asks so many times: ours before and after, theirs of the day, their monotonic one; nanoseconds."""

TIMES = 8
PERIOD = 2.0
"""Questions at a time, and seconds between two times."""


@dataclass(frozen=True)
class Reading:
    """What one time of asking told: nanoseconds.

    Attributes:
        at: our CLOCK_MONOTONIC.
        offset: what their CLOCK_MONOTONIC is ahead of ours.
        day: what their clock of the day is ahead of our CLOCK_MONOTONIC.
        error: by how much either may be wrong.
    """

    at: int
    offset: int
    day: int
    error: int


def reading(asked: Sequence[tuple[int, int, int, int]]) -> Reading:
    """The best that was learnt by asking several times."""
    before, after, day, monotonic = min(asked, key=lambda one: one[1] - one[0])
    middle = (before + after) // 2
    return Reading(middle, monotonic - middle, day - middle, (after - before + 1) // 2)


class Clock:
    """A machine's clocks, asked again and again until `stop`.

    Args:
        ask: asks the machine.
        period: seconds between two times.
    """

    def __init__(self, ask: Asked, period: float = PERIOD) -> None:
        self._ask = ask
        self._period = period
        self._ended = threading.Event()
        self.readings: list[Reading] = [reading(ask(TIMES))]
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(self._period):
            self.look()

    def look(self) -> None:
        """Ask once more; a machine that does not answer is known as well as before."""
        try:
            self.readings.append(reading(self._ask(TIMES)))
        except FiveninesError:
            return

    def stop(self) -> None:
        """Ask no more."""
        self._ended.set()
        self._thread.join(PERIOD)

    def near(self, moment: int) -> Reading:
        """What is known about a moment of our CLOCK_MONOTONIC: of the readings, the one of the least error,
        where the time between counts as error at the rate at which the clocks drift.
        """
        drift = self._rate()

        def error(one: Reading) -> float:
            return one.error + drift * abs(one.at - moment)

        best = min(self.readings, key=error)
        return Reading(best.at, best.offset, best.day, round(error(best)))

    def _rate(self) -> float:
        """How fast the clocks drift apart at least, from what the readings do not allow otherwise."""
        first, last = self.readings[0], self.readings[-1]
        if last.at <= first.at:
            return 0.0
        beyond = abs(last.offset - first.offset) - first.error - last.error
        return max(0.0, beyond) / (last.at - first.at)

    def ours(self, theirs: int) -> int:
        """Our CLOCK_MONOTONIC when theirs was that; nanoseconds."""
        guess = theirs - self.readings[-1].offset
        return theirs - self.near(guess).offset

    def theirs(self, ours: int) -> int:
        """Their CLOCK_MONOTONIC when ours is that; nanoseconds."""
        return ours + self.near(ours).offset

    def day_ahead(self) -> int:
        """What their clock of the day is ahead of ours; nanoseconds."""
        now = time.monotonic_ns()
        return self.near(now).day - (time.time_ns() - now)

    def drift(self) -> int:
        """How far the clocks moved apart since the first question; nanoseconds."""
        return self.readings[-1].offset - self.readings[0].offset

    def worst(self) -> int:
        """The largest error of all moments at which it was asked; nanoseconds."""
        return max(self.near(one.at).error for one in self.readings)
