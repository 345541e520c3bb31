"""How long a gap between successes is in the ordinary course, learnt from the steady window.

A service that succeeds at random moments has gaps of all lengths, and the longest of many grows with
their number. So the ordinary length is what the bulk of the gaps leads to expect of the longest of them:
nine tenths are taken as they are, and their upper half gives the scale of an exponential tail,

    scale = (q90 - q50 + one slot) / ln 5
    ordinary = q90 + scale * (ln(n / 10) + 3)

which the longest of n exponential gaps exceeds once in 20 (Gumbel's limit, exp(-exp(-3)) = 0.95). A
handful of long stalls do not move the quantiles, so that they cannot hide themselves or what comes after a
fault. No gap is ordinary that is longer than the longest of the steady window. With fewer than `FEW` gaps
nothing can be told apart: the longest is ordinary.

Source: Coles, An Introduction to Statistical Modeling of Extreme Values (Springer, 2001), 3.1.3.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fivenines.results.layout import SLOT_MS

FLOOR_FACTOR = 2.0
# The least that a gap must exceed: no scheduler promises less than this.
FLOOR_MS = 5.0 * SLOT_MS

# Their upper tenth is then at least five gaps.
FEW = 50

_BULK = 0.9
_ONCE_IN_20 = 3.0


def ordinary_ms(gaps: Sequence[float] | npt.NDArray[np.float64]) -> float:
    """Return the length in ms that gaps like these reach by themselves; 0 without any."""
    result = np.asarray(gaps, dtype=np.float64)
    if not len(result):
        return 0.0
    longest = float(result.max())
    if len(result) < FEW:
        return longest
    middle, high = (float(np.quantile(result, share)) for share in (0.5, _BULK))
    scale = (high - middle + SLOT_MS) / math.log(0.5 / (1 - _BULK))
    beyond = math.log(len(result) * (1 - _BULK)) + _ONCE_IN_20
    return min(longest, high + scale * beyond)


def floor_ms(ordinary: float) -> float:
    """Return what a gap must exceed to be no ordinary one: twice the ordinary length, at least 50 ms."""
    return max(FLOOR_MS, FLOOR_FACTOR * ordinary)
