"""Several tests at once: which of them may be believed.

Of five comparisons of which none is true one appears true with up to 23 %. Holm's errors are such that with
95 % none of those that are believed is wrong, whatever depends on what.

Source: Holm, Scandinavian J. of Statistics 6 (1979) 65.
"""

from collections.abc import Sequence


def adjusted(errors: Sequence[float]) -> list[float]:
    """Return the error of each test (its p value) as one of all of them; each at most 1, in their order."""
    order = sorted(range(len(errors)), key=lambda index: errors[index])
    result, largest = [0.0] * len(errors), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(errors) - rank) * errors[index]))
        result[index] = largest
    return result
