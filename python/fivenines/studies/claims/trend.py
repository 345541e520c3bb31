"""`trend: {measure: latency_mean, over: rtt, is: linear}`: the shape of a measure along an axis."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, create_model

from fivenines.analysis.statistics import trend
from fivenines.analysis.statistics.contrasts import Contrast
from fivenines.analysis.statistics.equivalence import same
from fivenines.analysis.statistics.quotients import Quotient
from fivenines.analysis.statistics.trend import Point
from fivenines.analysis.wording import number
from fivenines.studies.claims.along import Along, Row
from fivenines.studies.claims.judging import Question, interval_parts, is_time, percentage
from fivenines.studies.claims.quantities import Share
from fivenines.studies.claims.verdicts import Span

Shape = Literal["rises", "falls", "flat", "linear"]

Slope = Annotated[list[float], Field(min_length=2, max_length=2)]

if TYPE_CHECKING:
    TrendWords = Along
else:
    # The key is a Python keyword and cannot name an attribute.
    _IS = Field(description="shape along the axis")
    TrendWords = create_model("TrendWords", __base__=Along, **{"is": (Shape, _IS)})


class Trend(TrendWords):
    """Test whether a measure rises, falls, is flat or is linear along an axis.

    `rises`: overall (an ordered contrast is above 0), and no step is shown to fall by more than `margin`.
    `flat`: all pairs of levels are equal within `within`. `linear`: each level lies within `within` of a
    straight line. With `slope` the line's slope must lie in that range as well.
    """

    key: ClassVar[str] = "trend"

    slope: Slope | None = Field(
        None, description="[MIN, MAX] of the slope, in the measure's unit (ms) per unit of the axis"
    )
    within: Share = Field(0.1, gt=0, description="flat, linear: permitted excess of the larger of two values")
    margin: Share = Field(
        0.05, description="rises, falls: permitted size of a single step in the other direction"
    )

    @property
    def shape(self) -> Shape:
        """Return the shape along the axis."""
        result: Shape = getattr(self, "is")
        return result

    def problems(self) -> list[str]:
        wrong = self.slope is not None and self.slope[0] > self.slope[1]
        return super().problems() + (["slope: write the smaller limit first"] if wrong else [])

    @property
    def fewest(self) -> int:
        return 3 if self.shape == "linear" else 2

    @property
    def words(self) -> str:
        within = f"within {100 * self.within:g} %"
        kinds = {
            "rises": "to rise",
            "falls": "to fall",
            "flat": f"to be flat {within}",
            "linear": f"to be linear {within}",
        }
        text = f"it was claimed {kinds[self.shape]}"
        if self.slope is None:
            return text
        return f"{text}, with a slope of {self.slope[0]:g} to {self.slope[1]:g}"

    def question(self, row: Row, about: str) -> Question:
        points = _points(row)
        decide = {"rises": self._rises, "falls": self._rises, "flat": self._flat, "linear": self._linear}[
            self.shape
        ]

        def decided(level: float) -> bool | None:
            if self.slope is None:
                return decide(points, level)
            each = 1 - (1 - level) / 2  # either of the two may contradict
            if decide(points, each) is False or self._steep(points, each) is False:
                return False
            return True if decide(points, level) and self._steep(points, level) else None

        span, seen = self._seen(row, points, about)
        return Question(
            row.figures,
            about,
            self.words,
            seen,
            decided,
            span,
            overlap="the intervals are inconclusive",
            zero=self._requirements_line and bool(points) and trend.line(points) is None,
        )

    def unfit(self, row: Row) -> str:
        if row.numbers is None and self._requirements_line:
            return f"levels of {self.over} are no numbers"
        return ""

    @property
    def _requirements_line(self) -> bool:
        return self.shape == "linear" or self.slope is not None

    def _rises(self, points: Sequence[Point], level: float) -> bool | None:
        """Return whether the measure rises; a falling one rises in reverse order."""
        ordered = list(points) if self.shape == "rises" else list(reversed(points))
        whole = trend.ordered(ordered, level)
        each = 1 - (1 - level) / len(points)  # Bonferroni: the whole and every step
        step = trend.falling_step(ordered, self.margin, each)
        against = trend.ordered(ordered, each)
        if step is not None or (against.high is not None and against.high <= 0):
            return False
        return True if whole.low is not None and whole.low > 0 else None

    def _flat(self, points: Sequence[Point], level: float) -> bool | None:
        pairs = list(combinations(points, 2))
        each = 1 - (1 - level) / len(pairs)
        quotients = [Quotient(a.sample, b.sample) for a, b in pairs]
        if any(same(quotient, self.within, each) is False for quotient in quotients):
            return False
        return True if all(same(quotient, self.within, level) for quotient in quotients) else None

    def _linear(self, points: Sequence[Point], level: float) -> bool | None:
        line = trend.line(points)
        if line is None:
            return None
        each = 1 - (1 - level) / len(points)
        places = range(len(points))
        if any(line.near(index, self.within, each) is False for index in places):
            return False
        return True if all(line.near(index, self.within, level) for index in places) else None

    def _steep(self, points: Sequence[Point], level: float) -> bool | None:
        """Return whether the slope lies in its range."""
        line = trend.line(points)
        result = Contrast() if line is None else line.slope(level)
        low, high = self.slope or (-math.inf, math.inf)
        if result.high is not None and result.high < low:
            return False
        if result.low is not None and result.low > high:
            return False
        inside = result.low is not None and result.high is not None
        return True if inside and result.low >= low and result.high <= high else None  # type: ignore[operator]

    def _seen(self, row: Row, points: Sequence[Point], about: str) -> tuple[Span | None, str]:
        text = row.text(self.measure, about)
        line = trend.line(points) if self._requirements_line and points else None
        if line is not None:
            slope = line.slope()
            low, high = self.slope or (None, None)
            estimate, ends = interval_parts(slope)
            span = Span("slope", slope.estimate, slope.low, slope.high, low, high)
            return span, f"{text}: the slope is {estimate}{ends}{_farthest(row, line)}"
        if self.shape == "flat" or not points:
            return None, text + _extremes(points)
        rise = trend.ordered(points)
        limits = (0.0, None) if self.shape == "rises" else (None, 0.0)
        estimate, ends = interval_parts(rise, is_time(self.measure))
        span = Span("value", rise.estimate, rise.low, rise.high, *limits)
        return span, f"{text}: the change over all of it is {estimate}{ends}" if estimate else text


def _points(row: Row) -> list[Point]:
    """Return the points of a row; levels without numbers are numbered in order."""
    xs = row.numbers or [float(index) for index in range(len(row.levels))]
    return [Point(x, figure.sample.judged) for x, figure in zip(xs, row.figures, strict=True)]


def _extremes(points: Sequence[Point]) -> str:
    means = [point.sample.mean for point in points if point.sample.mean]
    return f": the largest is {number(max(means) / min(means))} times the smallest" if means else ""


def _farthest(row: Row, line: trend.Line) -> str:
    """Return the level with the largest deviation from the line."""
    if len(line.points) < 3:
        return ""
    means = [point.sample.mean or 0.0 for point in line.points]
    off = [
        abs(mean / fit - 1) if fit > 0 else math.inf for mean, fit in zip(means, line.fitted(), strict=True)
    ]
    worst = max(range(len(off)), key=off.__getitem__)
    if math.isinf(off[worst]):
        return f", and the line is not above 0 at {row.levels[worst].name}"
    return (
        f", and the largest deviation from the line is {percentage(off[worst])} at {row.levels[worst].name}"
    )
