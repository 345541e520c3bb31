"""Steadiness of the throughput within one trial, over the seconds of the steady window.

`cov` is the coefficient of variation of the throughput over the whole seconds of the window, as Tusa (2016)
judges steadiness: standard deviation divided by mean. Few transactions per second vary by chance: 100 per
second at random times vary by 10 %. `last_quarter` is the throughput of the window's last quarter divided by
that of its first: below 1 the load became slower.
"""

from dataclasses import dataclass

import numpy as np

from fivenines.analysis.availability.availability import Timeline

SECOND = 1000.0
# Minimum number of whole seconds of a window.
LEAST_SECONDS = 4


@dataclass(frozen=True)
class Steadiness:
    """Steadiness of a load, as ratios; None where the divisor has no success."""

    cov: float | None
    last_quarter: float | None


def steadiness(line: Timeline, start: float, end: float) -> Steadiness | None:
    """Return the steadiness of a load from `start` to `end` (ms); None if that is too short."""
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
