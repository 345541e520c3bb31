"""The chart of a claim: measured and printed values with intervals, and the claimed limits."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.report.charts import theme
from fivenines.report.charts.drawing import (
    WIDTH,
    Drawing,
    axis,
    bar,
    layer,
    mark,
    pixels,
    points,
    text,
    whole,
)

# Heights in px of a line of a name, of the bar below it, and before the axis.
_LINE, _BAR, _AXIS = 18.0, 26.0, 10.0

# The number of characters that fit into a line.
_LETTERS = 52

_DECADES = tuple(10.0**power for power in range(-6, 7))
_TICKS = tuple(sorted({step * decade for decade in _DECADES for step in (1, 2, 5)} | {0.8, 1.25, 1.5, 3.0}))
# An axis with more ticks has only decades.
_MOST_TICKS = 10

# Intervals are cut at this multiple of the largest estimate.
_FAR = 20.0

LEGEND = (
    "Filled circles were measured here, hollow diamonds are printed in the study. Bars are 95 % intervals, "
    "if known. Vertical lines are the claimed limits."
)


@dataclass(frozen=True)
class ClaimRow:
    """The value of a comparison or figure; unknown ends of its interval are None."""

    name: str
    printed: bool
    estimate: float
    low: float | None = None
    high: float | None = None
    limits: tuple[float, ...] = ()


def claim_chart(rows: Sequence[ClaimRow], title: str, ratio: bool) -> Drawing:
    """Draw a row for each value, in the order given; rows of the same name share a heading.

    Ratios have a logarithmic axis.
    """
    ends = _ends(rows, ratio)
    scale = {"type": "log" if ratio else "linear", "domain": list(ends), "nice": False, "clamp": True}
    ticks = {"values": ratio_ticks(*ends), "format": "~g"} if ratio else {"tickCount": 5, "format": "~s"}
    x = axis("x", title, scale, grid=False, **ticks)
    layers: list[Drawing] = []
    top, before = 0.0, ""
    for row in rows:
        words = textwrap.wrap(row.name, _LETTERS) if row.name != before else []
        layers += [text(line, 0, top + _LINE * (n + 0.5), align="left") for n, line in enumerate(words)]
        top += _LINE * len(words)
        layers += _row(row, top + _BAR / 2, x, ends)
        top += _BAR
        before = row.name
    return whole({"width": WIDTH - 24, "height": top + _AXIS, "layer": layers})


def ratio_ticks(low: float, high: float) -> list[float]:
    """Return the ticks of an axis of ratios, also on both sides of 1 within less than a decade."""
    near = [tick for tick in _TICKS if low <= tick <= high]
    return near if len(near) <= _MOST_TICKS else [tick for tick in _DECADES if low <= tick <= high]


def _row(row: ClaimRow, y: float, x: Drawing, ends: tuple[float, float]) -> list[Drawing]:
    colour = theme.SERIES[1] if row.printed else theme.SERIES[0]
    layers = []
    for limit in row.limits:
        if ends[0] <= limit <= ends[1]:
            rule = mark("rule", color=theme.INK, strokeWidth=1.5)
            layers.append(layer([{"x": limit}], rule, x=x, **pixels(y=y - 11, y2=y + 11)))
    if row.low is not None or row.high is not None:
        low = ends[0] if row.low is None else row.low
        high = ends[1] if row.high is None else row.high
        inside = (_within(low, ends), _within(high, ends))
        layers.append(bar(inside, x, y, color=colour, strokeWidth=4, opacity=0.55))
    shape = "diamond" if row.printed else "circle"
    place = _within(row.estimate, ends)
    filled = not row.printed
    return [*layers, *points([place], x, y, shape=shape, color=colour, filled=filled, size=90)]


def _within(value: float, ends: tuple[float, float]) -> float:
    return min(max(value, ends[0]), ends[1])


def _ends(rows: Sequence[ClaimRow], ratio: bool) -> tuple[float, float]:
    sure = [edge for row in rows for edge in (row.estimate, *row.limits)]
    every = [*sure, *(edge for row in rows for edge in (row.low, row.high) if edge is not None)]
    most = max(abs(one) for one in sure) or 1.0
    high = min(max(every), _FAR * most)
    if ratio:
        least = min([one for one in sure if one > 0], default=1.0)
        positive = [one for one in every if one > 0]
        low = max(min(positive, default=0.5), least / _FAR)
        return min(low, 0.8) / 1.1, max(high, 1.25) * 1.1
    low = max(min(every), -_FAR * most)
    return (min(0.0, 1.05 * low), 1.05 * high if high > 0 else 1.0)
