"""The chart of the outage after a death against the hiccup that is survived, one point for each solution."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fivenines.analysis.statistics.means import Summary
from fivenines.report.charts import theme
from fivenines.report.charts.basic import Line, with_names
from fivenines.report.charts.drawing import Drawing, cross, interval, layer, mark, of, quantity

_HEIGHT = 260


@dataclass(frozen=True)
class Point:
    """A solution; times in seconds.

    Attributes:
        hiccup: low end, value and high end of the tolerated hiccup; a missing end is unknown.
        bound: whether the value is a lower bound (>), an upper bound (<), or none.
        outage: outage after a death, in ms.
        tip: text under the pointer.
    """

    name: str
    style: theme.Style
    hiccup: tuple[float | None, float, float | None]
    bound: str
    outage: Summary
    tip: str


def tolerance_chart(points: Sequence[Point]) -> Drawing:
    """Draw the points with intervals as bars, and the line on which both times are equal."""
    right = 1.1 * max(max(value for value in one.hiccup if value is not None) for one in points)
    top = 1.1 * max(max(one.outage.ci_high or 0.0, one.outage.mean or 0.0) / 1000 for one in points)
    # The intervals of single trials may be far longer than all means.
    top = min(top, 2.2 * max((one.outage.mean or 0.0) / 1000 for one in points)) or 1.0
    x = quantity("x", "hiccup that is survived, in seconds", right, tickCount=5)
    y = quantity("y", None, top, format=",.3~g")
    equal = min(right, top)
    dashed = mark("line", color=theme.MUTED, strokeDash=[4, 4], strokeWidth=1.5)
    layers = [layer([{"x": 0, "y": 0}, {"x": equal, "y": equal}], dashed, x=x, y=y)]
    ends = []
    for one in points:
        layers += _cross(one, x, y)
        middle = _HEIGHT * (1 - (one.outage.mean or 0.0) / 1000 / top)
        ends.append((middle, Line(one.name, replace(one.style, shape=_shape(one)), [])))
    return with_names(layers, ends, "outage after a death, in seconds", _HEIGHT, marked=True)


def _cross(one: Point, x: Drawing, y: Drawing) -> list[Drawing]:
    low, middle, high = one.hiccup
    across = None if low is None or high is None else (low, high)
    at = middle, (one.outage.mean or 0.0) / 1000
    upright = interval(one.outage, 1000)
    return of(one.style.tag, cross(at, across, upright, (x, y), one.style.colour, _shape(one), one.tip))


def _shape(one: Point) -> str:
    """Return the shape of a point: an arrow where it is a bound."""
    return {">": "triangle-right", "<": "triangle-left"}.get(one.bound, one.style.shape)
