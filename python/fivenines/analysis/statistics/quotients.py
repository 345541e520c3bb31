"""Ratio of two means, or of two such ratios: its interval, and its side of a limit.

Of two means by Fieller's interval (`sides`). A ratio of ratios (a / c) / (b / d) is judged on the scale of
logarithms, where it is a sum, by the delta method: the variance of the logarithm of a mean is that of the
mean over its square (Oehlert, The American Statistician 46 (1992) 27).

Samples from the same blocks, of which each has one value, are paired there: what a block does to both cancels
out (randomised complete blocks, see `blocked`). Every block then has one logarithm of the ratio, and of a
ratio of ratios as well: blocks that are faster by a factor cancel there exactly.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fivenines.analysis.statistics.contrasts import Contrast, contrast
from fivenines.analysis.statistics.means import CONFIDENCE, Summary, at_confidence, compare, summarise
from fivenines.analysis.statistics.sides import Side, side, side_of, too_equal

# Below the largest exponent of a float.
_LARGEST = 700.0


@dataclass(frozen=True)
class Quotient:
    """a / b, or (a / a_over) / (b / b_over) where both have a divisor."""

    a: Summary
    b: Summary
    a_over: Summary | None = None
    b_over: Summary | None = None

    @property
    def samples(self) -> list[Summary]:
        """Return all samples in it."""
        result = (self.a, self.b, self.a_over, self.b_over)
        return [item for item in result if item is not None]

    @property
    def has_zero(self) -> bool:
        """Return whether a mean in a divisor or logarithm is 0."""
        divisors = [self.b] if self.a_over is None else self.samples
        return any(not divisor.mean for divisor in divisors)

    def more_than(self, factor: float, confidence: float = CONFIDENCE) -> bool | None:
        """Return whether the ratio is above a factor; None: inconclusive."""
        result = self._side(factor, confidence)
        return None if result is None else result == "above"

    def not_more_than(self, factor: float, confidence: float = CONFIDENCE) -> bool | None:
        """Return whether the ratio is at most a factor; None: inconclusive."""
        result = self._side(factor, confidence)
        return None if result is None else result == "below"

    def inverse(self) -> "Quotient":
        """Return b / a."""
        return Quotient(self.b, self.a, self.b_over, self.a_over)

    def interval(self, confidence: float = CONFIDENCE) -> Contrast:
        """Return the ratio and its interval."""
        if self._has_logarithms:
            return self._by_logarithms(confidence)
        result = compare(at_confidence(self.a, confidence), at_confidence(self.b, confidence))
        estimate = None if result.bounded else result.ratio
        if too_equal(result):
            return Contrast(estimate)
        return Contrast(estimate, result.ratio_low, result.ratio_high)

    def _side(self, factor: float, confidence: float) -> Side | None:
        if not self._has_logarithms:
            a, b = at_confidence(self.a, confidence), at_confidence(self.b, confidence)
            return side_of(compare(a, b), factor)
        result = self._by_logarithms(confidence)
        return side(result.low, result.high, factor)

    @property
    def _has_logarithms(self) -> bool:
        """Return whether it is a ratio of ratios, or of two samples from the same blocks."""
        return self.a_over is not None or (bool(_blocks(self.a)) and _blocks(self.a) == _blocks(self.b))

    def _by_logarithms(self, confidence: float) -> Contrast:
        samples = self.samples
        if any(sample.mean is None or sample.mean <= 0 for sample in samples):
            return Contrast()
        # a, b, a_over, b_over
        terms, factors = _paired(samples, (1, -1, -1, 1)[: len(samples)])
        result = contrast(terms, factors, confidence)
        return Contrast(*(_exp(item) for item in (result.estimate, result.low, result.high)))


def _paired(samples: Sequence[Summary], factors: Sequence[float]) -> tuple[list[Summary], list[float]]:
    """Return logarithms of samples with their factors; those of the same blocks become one sample."""
    groups: dict[frozenset[str], list[tuple[Summary, float]]] = {}
    terms: list[tuple[Summary, float]] = []
    for sample, factor in zip(samples, factors, strict=True):
        if blocks := _blocks(sample):
            groups.setdefault(blocks, []).append((sample, factor))
        else:
            terms.append((_logarithm(sample), factor))
    for blocks, members in groups.items():
        values = [
            math.fsum(factor * math.log(dict(sample.machines)[block]) for sample, factor in members)
            for block in sorted(blocks)
        ]
        first = members[0][0]
        combined = replace(summarise(values), confidence=first.confidence, nominal=first.nominal)
        terms.append((combined, 1.0))
    return [term for term, _ in terms], [factor for _, factor in terms]


def _blocks(sample: Summary) -> frozenset[str]:
    """Return the blocks of a sample with one value in each, above 0; empty for any other sample."""
    names = [name for name, _ in sample.machines]
    paired = len(set(names)) == len(names) > 1 and not sample.bounds
    return frozenset(names) if paired and all(value > 0 for _, value in sample.machines) else frozenset()


def _logarithm(summary: Summary) -> Summary:
    mean = summary.mean or 1.0
    sd = None if summary.sd is None else summary.sd / mean
    return replace(summary, mean=math.log(mean), sd=sd)


def _exp(value: float | None) -> float | None:
    return None if value is None else math.exp(min(value, _LARGEST))
