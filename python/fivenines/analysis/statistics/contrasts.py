"""Linear contrasts of means: differences, trends, deviations from a line.

The interval is Student's t with the degrees of freedom of Welch and Satterthwaite, so that samples may
differ in spread and number.

Sources: Satterthwaite, Biometrics Bulletin 2 (1946) 110; contrasts with unequal variances: Brown and
Forsythe, Technometrics 16 (1974) 129.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.statistics.means import (
    CONFIDENCE,
    EQUAL,
    Summary,
    at_confidence,
    satterthwaite,
    student_t,
)


@dataclass(frozen=True)
class Contrast:
    """A linear contrast of means, in their unit. Unknown ends of the interval are None.

    With lower bounds among the values there is no estimate: a bound is not shown as a value.
    """

    estimate: float | None = None
    low: float | None = None
    high: float | None = None


def contrast(
    samples: Sequence[Summary], factors: Sequence[float], confidence: float = CONFIDENCE
) -> Contrast:
    """Return the sum of `factors` times the means, of independent samples.

    There is no interval without a spread in any sample, nor for few values that are all equal. Lower bounds
    leave open the end that they could move.
    """
    used = [
        (at_confidence(sample, confidence), factor)
        for sample, factor in zip(samples, factors, strict=True)
        if factor
    ]
    if not used or any(item.mean is None for item, _ in used):
        return Contrast()
    estimate = math.fsum(factor * (item.mean or 0.0) for item, factor in used)
    spreads = [item.sd for item, _ in used]
    if None in spreads or (not any(spreads) and min(item.n for item, _ in used) < EQUAL):
        return Contrast(None if any(item.bounds for item, _ in used) else estimate)
    parts = [((factor * (item.sd or 0.0)) ** 2 / item.n, item.n) for item, factor in used]
    level = max(item.level for item, _ in used)
    error = math.sqrt(math.fsum(part for part, _ in parts))
    half = student_t(satterthwaite(parts), level) * error
    rises = any(item.bounds for item, factor in used if factor > 0)
    falls = any(item.bounds for item, factor in used if factor < 0)
    low, high = estimate - half, estimate + half
    shown = None if rises or falls else estimate
    return Contrast(shown, None if falls else low, None if rises else high)
