"""Student's t test in plain Python: its quantile and its power.

The plan of a run needs a few of these figures, and importing scipy takes longer than showing the plan. Their
error is below 1e-9. Intervals of results come from scipy, see `statistics`.

Source:
    Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 2, ch. 28 and 31: t is a normal
        variable over an independent s, with df s^2 chi-squared with df degrees of freedom. A probability of t
        is that of the normal variable for a given s, averaged over s.
"""

import math
from collections.abc import Callable
from functools import cache
from itertools import count
from statistics import NormalDist

_NEGLIGIBLE = 1e-16

# The integrand is smooth and vanishes at both ends, so the error of the trapezoidal rule falls exponentially
# with its step. With a quarter of the standard deviation it is below 1e-10.
_STEP = 0.25


@cache
def quantile(df: int, confidence: float) -> float:
    """Return the two-sided quantile: |t| exceeds it with a chance of 1 - confidence."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    # the chance is a convex function of t and too high at the start: Newton's steps never go too far
    for _ in range(100):
        density = 2 * scale * math.exp(-(df + 1) / 2 * math.log1p(t * t / df))
        step = (rejected(df, 0.0, t) - (1 - confidence)) / density
        t += step
        if abs(step) < 1e-10 * t:
            break
    return t


def rejected(df: int, centre: float, t: float) -> float:
    """Return the chance that |t| exceeds a limit.

    Args:
        df: degrees of freedom, at least 1.
        centre: the true difference over its standard error; 0: there is none.
        t: the limit.
    """
    root = math.sqrt(2)

    def beyond(s: float) -> float:
        return (math.erfc((t * s - centre) / root) + math.erfc((t * s + centre) / root)) / 2

    return _average(df, beyond, 1 / max(1.0, abs(centre)))


def _average(df: int, value: Callable[[float], float], width: float) -> float:
    """Return the mean of a function of s; the function changes over `width` of the logarithm of s."""
    half = df / 2
    constant = math.log(2) + half * math.log(half) - math.lgamma(half)
    step = _STEP * min(1 / math.sqrt(2 * df), width)
    total = 0.0
    for direction in (1, -1):
        for n in count(0 if direction == 1 else 1):
            u = direction * n * step
            s = math.exp(u)
            weight = math.exp(constant + df * u - half * s * s)
            if weight * step < _NEGLIGIBLE:
                break
            total += weight * value(s)
    return total * step
