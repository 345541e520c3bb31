"""Share of a phase in a time: the ratio of two means that are measured in the same trials.

A phase and its whole belong together, so they are compared trial by trial: a share is beyond s where the mean
of `phase - s whole` is beyond 0 (Student's t), and the interval of the share is Fieller's with their
covariance (J. R. Stat. Soc. B 16 (1954) 175). Where only means and spreads are known, as in print, the
covariance is taken for the worst that there is (a correlation of -1), so that the interval is never too
narrow.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from fivenines.analysis.statistics.contrasts import Contrast
from fivenines.analysis.statistics.means import CONFIDENCE, EQUAL, Summary, at_confidence, student_t
from fivenines.analysis.statistics.sides import Side, side


@dataclass(frozen=True)
class PartOfWhole:
    """A phase (`part`) and its `whole`, each as a sample; `covariance` is that of the two means."""

    part: Summary
    whole: Summary
    covariance: float
    df: int

    def beyond(self, share: float, confidence: float = CONFIDENCE) -> Side | None:
        """Return the side of a limit on which the true share is; None: inconclusive."""
        result = self._difference(share, confidence)
        return side(result.low, result.high, 0.0)

    def interval(self, confidence: float = CONFIDENCE) -> Contrast:
        """Return the share with its interval; ends that lower bounds could move are None."""
        a, b = self.part.mean, self.whole.mean
        if a is None or not b:
            return Contrast()
        estimate = None if self.part.bounds or self.whole.bounds else a / b
        if self._no_spread():
            return Contrast(estimate)
        t2 = self._quantile(confidence) ** 2
        va, vb = self._variances()
        bottom = b * b - t2 * vb
        if bottom <= 0:
            return Contrast(estimate)
        centre = a * b - t2 * self.covariance
        root = math.sqrt(max(0.0, centre * centre - bottom * (a * a - t2 * va)))
        low, high = (centre - root) / bottom, (centre + root) / bottom
        low_known, high_known = not self.whole.bounds, not self.part.bounds
        return Contrast(estimate, low if low_known else None, high if high_known else None)

    def _difference(self, share: float, confidence: float) -> Contrast:
        a, b = self.part.mean, self.whole.mean
        if a is None or b is None or self._no_spread():
            return Contrast()
        va, vb = self._variances()
        variance = max(0.0, va - 2 * share * self.covariance + share * share * vb)
        half, middle = self._quantile(confidence) * math.sqrt(variance), a - share * b
        low = None if self.whole.bounds else middle - half
        return Contrast(middle, low, None if self.part.bounds else middle + half)

    def _variances(self) -> tuple[float, float]:
        return tuple((item.sd or 0.0) ** 2 / item.n for item in (self.part, self.whole))  # type: ignore[return-value]

    def _no_spread(self) -> bool:
        both = (self.part, self.whole)
        few = min(item.n for item in both) < EQUAL and not any(item.sd for item in both)
        return few or any(item.sd is None for item in both)

    def _quantile(self, confidence: float) -> float:
        level = max(at_confidence(item, confidence).level for item in (self.part, self.whole))
        return student_t(self.df, level)


def of_trials(part: Summary, whole: Summary, pairs: Sequence[tuple[float, float]]) -> PartOfWhole:
    """Of trials that have both; `part` and `whole` are their summaries."""
    a, b = fmean(x for x, _ in pairs), fmean(y for _, y in pairs)
    n = len(pairs)
    total = math.fsum((x - a) * (y - b) for x, y in pairs)
    return PartOfWhole(part, whole, total / (n - 1) / n if n > 1 else 0.0, n - 1)


def of_summaries(part: Summary, whole: Summary) -> PartOfWhole:
    """Of means and spreads alone."""
    worst = (part.sd or 0.0) * (whole.sd or 0.0) / math.sqrt(max(1, part.n * whole.n))
    return PartOfWhole(part, whole, -worst, min(part.n, whole.n) - 1)
