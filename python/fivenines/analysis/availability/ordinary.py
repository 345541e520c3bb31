"""Ordinary length of gaps between successes, estimated from the steady window.

A service that succeeds at random moments has gaps of all lengths, and the longest of many grows with their
number. So the ordinary length is the expected longest gap, extrapolated from the bulk of the gaps: nine
tenths are taken as they are, and their upper half gives the scale of an exponential tail,

    scale = (q90 - q50 + one slot) / ln 5
    ordinary = q90 + scale * (ln(n / 10) + 3)

which the longest of n exponential gaps exceeds once in 20 (Gumbel's limit, exp(-exp(-3)) = 0.95). A
handful of long stalls does not move the quantiles, so they cannot hide themselves or an interruption after a
fault. No gap is ordinary that is longer than the longest of the steady window. With fewer than `FEW` gaps no
quantile is reliable: the longest is ordinary.

Source: Coles, An Introduction to Statistical Modeling of Extreme Values (Springer, 2001), 3.1.3.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fivenines.results.layout import SLOT_MS

FLOOR_FACTOR = 2.0
# Minimum floor in ms: no scheduler guarantees shorter gaps.
FLOOR_MS = 5.0 * SLOT_MS

# Their upper tenth is then at least five gaps.
FEW = 50

_BULK = 0.9
_ONCE_IN_20 = 3.0


def ordinary_ms(gaps: Sequence[float] | npt.NDArray[np.float64]) -> float:
    """Return the ordinary length in ms of gaps like these; 0 without any."""
    result = np.sort(np.asarray(gaps, dtype=np.float64))
    if not len(result):
        return 0.0
    longest = float(result[-1])
    if len(result) < FEW:
        return longest
    middle, high = quantile(result, 0.5), quantile(result, _BULK)
    scale = (high - middle + SLOT_MS) / math.log(0.5 / (1 - _BULK))
    beyond = math.log(len(result) * (1 - _BULK)) + _ONCE_IN_20
    return min(longest, high + scale * beyond)


def quantile(ordered: npt.NDArray[np.float64], share: float) -> float:
    """Return a quantile of ascending values by linear interpolation.

    It is `np.quantile` to the bit, which takes ten times as long for the gaps of a trial.
    """
    place = share * (len(ordered) - 1)
    index = int(place)
    low, high = float(ordered[index]), float(ordered[min(index + 1, len(ordered) - 1)])
    part = place - index
    return high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part


def floor_ms(ordinary: float) -> float:
    """Return the length that an interruption must exceed: twice the ordinary length, at least 50 ms."""
    return max(FLOOR_MS, FLOOR_FACTOR * ordinary)
