"""Intervals of a percentile of trials that need no assumption about how trials scatter.

The r-th smallest of n values lies below the percentile with the probability that at least r of n values do:
a binomial count. So two of the ordered values bound it (Hahn and Meeker, Statistical Intervals, 1991, 5.2;
David and Nagaraja, Order Statistics, 3rd ed. 2003, 7.1). With few trials no value is far enough out, and an
end is not known: the upper end of a 95th percentile takes 72 trials.
"""

import math
from collections.abc import Sequence

from scipy import special

# Ends of an interval; None: unknown.
Bounds = tuple[float | None, float | None]


def quantile_bounds(values: Sequence[tuple[float, bool]], share: float, confidence: float) -> Bounds:
    """Return the interval of a percentile; `values` each with whether it is a lower bound.

    A lower bound counts with its value for the lower end, and as infinite for the upper end.
    """
    n, tail = len(values), (1 - confidence) / 2
    least = sorted(value for value, _ in values)
    most = sorted(math.inf if bound else value for value, bound in values)
    # at most `rank` of n values lie below the percentile
    below = [float(special.bdtr(rank, n, share)) for rank in range(n)]
    low = max((rank for rank in range(n) if below[rank] <= tail), default=None)
    high = min((rank for rank in range(n) if 1 - below[rank] <= tail), default=None)
    upper = None if high is None or math.isinf(most[high]) else most[high]
    return (None if low is None else least[low]), upper


def ratio_bounds(
    after: Sequence[tuple[float, bool]], before: Sequence[tuple[float, bool]], share: float, confidence: float
) -> Bounds:
    """Return the interval of the ratio of two percentiles of non-negative values, each at half the error."""
    each = 1 - (1 - confidence) / 2
    a_low, a_high = quantile_bounds(after, share, each)
    b_low, b_high = quantile_bounds(before, share, each)
    low = a_low / b_high if a_low is not None and b_high else None
    high = a_high / b_low if a_high is not None and b_low else None
    return low, high


def trials_for_bounds(share: float, confidence: float) -> int:
    """Return the trials per run from which both ends of the ratio of two percentiles are known."""
    tail = (1 - confidence) / 4
    return math.ceil(math.log(tail) / math.log(max(share, 1 - share)))
