"""How even a load goes on within one trial: seconds of the steady window against each other.

`cov` is the coefficient of variation of the throughput over the whole seconds of the window, as Tusa (2016)
judges steadiness: the sample's standard deviation by the mean. A few transactions a second vary by
themselves: 100 a second, if they come at random, by 10 %. `last_quarter` is the throughput of the window's
last quarter by that of its first: below 1 the load became slower.
"""

from dataclasses import dataclass

import numpy as np

from fivenines.analysis.availability import Timeline

SECOND = 1000.0
# A window of fewer whole seconds has no variation to speak of, nor four quarters.
LEAST_SECONDS = 4


@dataclass(frozen=True)
class Steadiness:
    """Parts of 1; None where nothing succeeded in what one would divide by."""

    cov: float | None
    last_quarter: float | None


def steadiness(line: Timeline, start: float, end: float) -> Steadiness | None:
    """Of the transactions of a load from `start` to `end` (ms); None if that is too short."""
    seconds = int((end - start) // SECOND)
    if seconds < LEAST_SECONDS:
        return None
    place = np.floor_divide(line.slot - start, SECOND)
    inside = (place >= 0) & (place < seconds)
    each = np.bincount(place[inside].astype(np.int64), weights=line.transactions[inside], minlength=seconds)
    mean = float(each.mean())
    cov = float(each.std(ddof=1)) / mean if mean else None
    first, last = (_between(line, start, end, part) for part in (0, 3))
    return Steadiness(cov, last / first if first else None)


def _between(line: Timeline, start: float, end: float, quarter: int) -> float:
    """Return the transactions of a quarter of the window."""
    length = (end - start) / 4
    low, high = start + quarter * length, start + (quarter + 1) * length
    return float(line.transactions[(line.slot >= low) & (line.slot < high)].sum())
