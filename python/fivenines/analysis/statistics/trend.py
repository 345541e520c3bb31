"""Trends of means along an axis: overall rise, fit of a line, and slope.

Rise: an ordered contrast, the sum of the means times their centred ranks (-1, 0, 1 for three levels). It is
above 0 where later levels have larger means overall, and assumes no form.

A line: by least squares of the deviations in per cent (each level weighs 1 / mean²), as trials scatter by a
share of their mean. Slope and deviations are sums of means, so their intervals use the spread of each level;
the weights count as given. A line's fit is shown as an equivalence: each level's deviation from it lies
within a margin. A missing lack of fit shows nothing.

Sources: Abelson and Tukey, Annals of Math. Statistics 34 (1963) 1347 (ordered contrasts); Draper and Smith,
Applied Regression Analysis, 3rd ed. 1998, ch. 9 (weighted least squares) and 2.1 (lack of fit).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fivenines.analysis.statistics.contrasts import Contrast, contrast
from fivenines.analysis.statistics.means import CONFIDENCE, Summary, at_confidence, compare
from fivenines.analysis.statistics.sides import side, side_of


@dataclass(frozen=True)
class Point:
    """The sample at one level of an axis."""

    x: float
    sample: Summary


def ordered(points: Sequence[Point], confidence: float = CONFIDENCE) -> Contrast:
    """Return the rise over the levels in order, in the unit of a difference of two levels.

    The factors are scaled so that means on a straight line of equal steps give last minus first.
    """
    middle = (len(points) - 1) / 2
    places = [index - middle for index in range(len(points))]
    total = math.fsum(place * place for place in places)
    factors = [place * (len(points) - 1) / total for place in places]
    return contrast([point.sample for point in points], factors, confidence)


def falling_step(points: Sequence[Point], margin: float, confidence: float) -> tuple[Point, Point] | None:
    """Return two neighbours of which the later is shown to be smaller by more than a margin (0.05: 5 %)."""
    for before, after in pairwise(points):
        samples = (at_confidence(item.sample, confidence) for item in (before, after))
        if side_of(compare(*samples), 1 + margin) == "above":
            return before, after
    return None


@dataclass(frozen=True)
class Line:
    """A straight line through means; `slope` in the unit of the means per unit of the axis.

    `hats[j]` are the factors of the means that give the line's value at level j.
    """

    points: Sequence[Point]
    slope_factors: Sequence[float]
    hats: Sequence[Sequence[float]]

    def slope(self, confidence: float = CONFIDENCE) -> Contrast:
        """Return the slope with its interval."""
        return contrast([point.sample for point in self.points], self.slope_factors, confidence)

    def fitted(self) -> list[float]:
        """Return the line's value at each level."""
        means = [point.sample.mean or 0.0 for point in self.points]
        return [math.fsum(f * m for f, m in zip(hat, means, strict=True)) for hat in self.hats]

    def near(self, index: int, margin: float, confidence: float) -> bool | None:
        """Return whether a level is within a margin of the line, as in `equivalence.same`; None:
        inconclusive.
        """
        samples = [point.sample for point in self.points]
        own = [float(index == other) for other in range(len(samples))]
        hat = self.hats[index]
        sides = set()
        for a, b in ((own, hat), (hat, own)):
            factors = [x - (1 + margin) * y for x, y in zip(a, b, strict=True)]
            result = contrast(samples, factors, confidence)
            sides.add(side(result.low, result.high, 0.0))
        if "above" in sides:
            return False
        return True if sides == {"below"} else None


def line(points: Sequence[Point]) -> Line | None:
    """Return the line through these means; None: fewer than two levels, or a mean that is not above 0."""
    means = [point.sample.mean or 0.0 for point in points]
    if len({point.x for point in points}) < 2 or min(means) <= 0:
        return None
    weights = [1 / mean**2 for mean in means]
    total = math.fsum(weights)
    xs = [point.x for point in points]
    centre = math.fsum(w * x for w, x in zip(weights, xs, strict=True)) / total
    spread = math.fsum(w * (x - centre) ** 2 for w, x in zip(weights, xs, strict=True))
    slope = [w * (x - centre) / spread for w, x in zip(weights, xs, strict=True)]
    hats = [[w / total + (x - centre) * s for w, s in zip(weights, slope, strict=True)] for x in xs]
    return Line(points, slope, hats)
