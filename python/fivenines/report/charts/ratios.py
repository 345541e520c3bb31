"""The chart of a comparison of runs: each measure as a ratio to the baseline, with its interval."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fivenines.report.charts import theme
from fivenines.report.charts.drawing import (
    WIDTH,
    Drawing,
    axis,
    bar,
    layer,
    logarithmic,
    mark,
    pixels,
    points,
    text,
    whole,
)

# Heights in px of a line of a name, and of the bar below it.
_LINE, _BAR = 18.0, 30.0

# The number of characters that fit into a line.
_LETTERS = 52

# Ratios beyond these are drawn at the edge.
_LEAST, _MOST = 1 / 16, 16.0

_TICKS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 0.8, 1.0, 1.25, 2, 4, 8, 16)

Verdict = Literal["worse", "better", "inconclusive"]

# Colour and shape of each verdict, so that colour is never the only distinction.
_STYLES: dict[Verdict, tuple[str, str]] = {
    "worse": (theme.FAULT, "triangle-down"),
    "better": (theme.SERIES[2], "triangle-up"),
    "inconclusive": (theme.MUTED, "circle"),
}

LEGEND = (
    "Triangles that point down are worse, triangles that point up are better, circles are inconclusive. "
    "Bars are intervals. Left of the black line at 1 is less than in the baseline, right of it is more."
)


@dataclass(frozen=True)
class RatioRow:
    """A measure with its name, its ratio and the ends of its interval; None: not known."""

    name: str
    verdict: Verdict
    ratio: float
    low: float | None
    high: float | None


def ratios(rows: Sequence[RatioRow]) -> Drawing:
    """Draw a row for each measure, in the order given, on a logarithmic axis with 1 marked."""
    ends = [edge for row in rows for edge in (row.ratio, row.low, row.high) if edge is not None]
    low = max(_LEAST, min([0.8, *(edge for edge in ends if edge > 0)]) / 1.05)
    high = min(_MOST, max([1.25, *ends]) * 1.05)
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    scale = logarithmic((low, high), clamp=True)
    x = axis("x", "times the baseline", scale, values=ticks, format="~g", grid=False)
    layers: list[Drawing] = []
    top = 0.0
    for row in rows:
        words = textwrap.wrap(row.name, _LETTERS)
        layers += _row(row, words, top, x, (low, high))
        top += _LINE * len(words) + _BAR
    return whole({"width": WIDTH - 24, "height": top, "layer": layers})


def _row(row: RatioRow, words: list[str], top: float, x: Drawing, ends: tuple[float, float]) -> list[Drawing]:
    """Draw the name, and below it the bar with its mark, and a line at 1."""
    colour, shape = _STYLES[row.verdict]
    y = top + _LINE * len(words) + 8
    low, high = (
        ends[at] if edge is None else min(max(edge, ends[0]), ends[1])
        for at, edge in enumerate((row.low, row.high))
    )
    known = row.low is not None or row.high is not None
    place = min(max(row.ratio, ends[0]), ends[1])
    one = mark("rule", color=theme.INK, strokeWidth=1.5)
    return [
        *(text(line, 0, top + _LINE * (n + 0.5), align="left") for n, line in enumerate(words)),
        layer([{"x": 1.0}], one, x=x, **pixels(y=y - 11, y2=y + 11)),
        *(_interval(low, high, x, y, colour) if known else []),
        *points([place], x, y, shape=shape, color=colour, filled=True, size=60),
    ]


def _interval(low: float, high: float, x: Drawing, y: float, colour: str) -> list[Drawing]:
    """Draw a bar that is higher than its mark, with a line at each end, so that a short bar is visible."""
    ends = mark("rule", color=colour, strokeWidth=2)
    cap = pixels(y=y - 7, y2=y + 7)
    return [
        bar((low, high), x, y, color=colour, strokeWidth=12, opacity=0.3),
        layer([{"x": low}, {"x": high}], ends, x=x, **cap),
    ]
