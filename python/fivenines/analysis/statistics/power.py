"""Power analysis: the smallest detectable difference, and the repetitions that detect a given one.

All differences are shares: 0.1 means that one mean is 10 % above the other. Computation is on the scale of
logarithms, on which a spread that is a share of the mean is equal on both sides.

Sources:
    Power of Welch's test with equal numbers and equal spreads, and of the t test of one mean, by the
        noncentral t distribution: Johnson, Kotz and Balakrishnan, Continuous Univariate
        Distributions, vol. 2, ch. 31;
        Cohen, Statistical Power Analysis for the Behavioral Sciences, ch. 2.
"""

import math
from collections.abc import Callable

from fivenines.analysis.statistics import student
from fivenines.analysis.statistics.means import CONFIDENCE

# Probability of showing a difference that exists; the usual value.
POWER = 0.8

# Maximum number of repetitions that is worth a plan.
MOST = 100_000


def power_of_two(difference: float, cov: float, n: int, confidence: float = CONFIDENCE) -> float:
    """Return the chance that the interval of a difference excludes 0 with n trials a side (Welch).

    Args:
        difference: the true one, as a share of the smaller mean.
        cov: standard deviation of a trial as a share of its mean, the same on both sides.
        n: trials of each side.
        confidence: of the interval.
    """
    return _power(math.log1p(difference), cov * math.sqrt(2 / n) if n else 0, 2 * n - 2, confidence)


def power_of_pairs(difference: float, sd: float, n: int, confidence: float = CONFIDENCE) -> float:
    """Return the chance that the interval of a ratio excludes 1 with n pairs whose logarithms have this
    spread.
    """
    return _power(math.log1p(difference), sd / math.sqrt(n) if n else 0, n - 1, confidence)


def detectable_by_two(cov: float, n: int, confidence: float = CONFIDENCE) -> float | None:
    """Return the smallest difference that n trials per side show with a power of `POWER`; None with n < 2."""
    return _smallest(lambda d: power_of_two(d, cov, n, confidence)) if n > 1 else None


def detectable_by_pairs(sd: float, n: int, confidence: float = CONFIDENCE) -> float | None:
    """Return the smallest difference that n pairs show with a power of `POWER`; None with n < 2."""
    return _smallest(lambda d: power_of_pairs(d, sd, n, confidence)) if n > 1 else None


def trials_for(difference: float, cov: float, confidence: float = CONFIDENCE) -> int | None:
    """Return the trials per side that show a difference with a power of `POWER`; None: more than `MOST`."""
    return _fewest(lambda n: power_of_two(difference, cov, n, confidence))


def pairs_for(difference: float, sd: float, confidence: float = CONFIDENCE) -> int | None:
    """Return the pairs that show a difference with a power of `POWER`; None: more than `MOST`."""
    return _fewest(lambda n: power_of_pairs(difference, sd, n, confidence))


def _power(shift: float, error: float, df: int, confidence: float) -> float:
    if df < 1:
        return 0.0
    if error <= 0:
        return float(shift != 0)
    centre = abs(shift) / error
    if centre > 100:  # certain
        return 1.0
    return student.rejected(df, centre, student.quantile(df, confidence))


def _smallest(power: Callable[[float], float]) -> float:
    low, high = 0.0, 1e-6
    while power(high) < POWER and high < 1e6:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def _fewest(power: Callable[[int], float]) -> int | None:
    low, high = 1, 2
    while power(high) < POWER:
        if high >= MOST:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high
