"""Side of a limit on which the true value is, as shown by an interval.

A comparison `a is more than f times b` is judged by Fieller's interval of the ratio of the means. Where b
may be 0 there is none, and a - f b is judged by Welch's interval instead.
"""

import math
from collections.abc import Callable
from typing import Literal

from fivenines.analysis.statistics.means import Difference, both_few_equal, compare, scaled

Side = Literal["below", "above"]

# Smallest error (p value) that is reported.
LEAST = 1e-10


def too_equal(difference: Difference) -> bool:
    """Return whether neither sample has a spread, with so few values that they count as rounded."""
    return both_few_equal(difference.a, difference.b)


def side_of(difference: Difference, ratio: float) -> Side | None:
    """Return the side of a limit on which the true ratio is; None: inconclusive.

    Where the baseline may be 0 there is no interval of the ratio, and a - ratio * b is judged instead.
    """
    a, b = difference.a, difference.b
    if too_equal(difference):
        return None
    low, high = difference.ratio_low, difference.ratio_high
    limit = ratio
    if low is None and high is None and a.sd is not None and b.sd is not None:
        contrast = compare(a, scaled(b, ratio))
        low, high, limit = contrast.low, contrast.high, 0.0
    return side(low, high, limit)


def side(low: float | None, high: float | None, limit: float) -> Side | None:
    """Return the side of a limit on which an interval lies; None: it contains the limit, or that end is
    unknown.
    """
    if high is not None and high <= limit:
        return "below"
    return "above" if low is not None and low >= limit else None


def smallest_error(decided: Callable[[float], bool], known: float) -> float:
    """Return the smallest error (1 - confidence) with which intervals still decide, down to `LEAST`.

    The result is a p value: intervals of one kind are nested, so a decision at one confidence is a decision
    at every lower confidence.

    Args:
        decided: whether intervals of this confidence decide.
        known: an error with which they do.
    """
    if decided(1 - LEAST):
        return LEAST
    low, high = math.log(LEAST), math.log(known)
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (low, middle) if decided(1 - math.exp(middle)) else (middle, high)
    return min(known, math.exp(high))
