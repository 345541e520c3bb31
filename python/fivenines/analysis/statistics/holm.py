"""Holm's correction for several tests.

Of five comparisons without a true difference, at least one appears significant with a probability of up to 23
%. Holm's adjusted errors keep the probability of any wrong finding at 5 %, whatever the dependence of the
tests.

Source: Holm, Scandinavian J. of Statistics 6 (1979) 65.
"""

from collections.abc import Sequence


def adjusted(errors: Sequence[float]) -> list[float]:
    """Return the adjusted error (p value) of each test, at most 1, in the order of the tests."""
    order = sorted(range(len(errors)), key=lambda index: errors[index])
    result, largest = [0.0] * len(errors), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(errors) - rank) * errors[index]))
        result[index] = largest
    return result
