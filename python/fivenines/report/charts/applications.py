"""The chart of client stacks under one fault: when each committed, and when its attempts failed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.report.charts import theme
from fivenines.report.charts.drawing import WIDTH, Drawing, bar, between, layer, mark, pixels, text, whole

_PLOT = WIDTH - 24
_ROW = 34
_TOP = 22
_BAR = 8

Spans = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    """A stack; times in s from the fault. `figure` is its outage in words."""

    name: str
    figure: str
    writing: Spans
    failing: Spans


@dataclass(frozen=True)
class Applications:
    """Stacks from `start` to `end`, and the moment `back` at which the load wrote again; None: it did not."""

    start: float
    end: float
    lines: Sequence[Line]
    fault: str
    back: float | None


def applications(chart: Applications) -> Drawing:
    """Draw a row for each stack: a broad line while it commits, a thin red one while attempts fail."""
    x = between("x", "seconds from the fault", (chart.start, chart.end), grid=False, tickCount=8)
    height = _TOP + _ROW * len(chart.lines)
    layers = [*_moments(chart, x)]
    for number, line in enumerate(chart.lines):
        y = _TOP + _ROW * number + 10
        layers += [
            text(line.name, 0, y, align="left", fontWeight="bold"),
            text(line.figure, _PLOT, y, align="right", color=theme.MUTED),
        ]
        layers += _spans(chart, line.writing, x, y + 15, color=theme.INK, strokeWidth=_BAR)
        layers += _spans(chart, line.failing, x, y + 21, color=theme.FAULT, strokeWidth=2)
    return whole({"width": _PLOT, "height": height, "layer": layers})


def _spans(chart: Applications, spans: Spans, x: Drawing, y: float, **style: Any) -> list[Drawing]:
    # one moment alone is still visible
    least = (chart.end - chart.start) / _PLOT
    return [
        bar((max(a, chart.start), min(max(b, a + least), chart.end)), x, y, opacity=1, **style)
        for a, b in spans
        if b >= chart.start and a <= chart.end
    ]


def _moments(chart: Applications, x: Drawing) -> list[Drawing]:
    """Draw the fault, and the moment from which the load wrote again."""
    layers = _rules(chart, 0.0, x, color=theme.FAULT, strokeWidth=2)
    layers.append(text(chart.fault, _at(chart, 0.0) + 4, 4, align="left", color=theme.FAULT))
    if chart.back is not None:
        layers += _rules(chart, chart.back, x, color=theme.MUTED, strokeDash=[3, 3])
        words = "the load writes again"
        at = _at(chart, chart.back) + 4
        # the fault's name stands to the left of it
        at = max(at, _at(chart, 0.0) + 12 + 7 * len(chart.fault))
        layers.append(text(words, at, 4, align="left", color=theme.MUTED))
    return layers


def _rules(chart: Applications, t: float, x: Drawing, **style: Any) -> list[Drawing]:
    """Draw a vertical line at a moment, above the first row and across each row's lines, but no name."""
    tops = [-2.0, *(_TOP + _ROW * number + 19.0 for number in range(len(chart.lines)))]
    heights = [10.0, *([14.0] * len(chart.lines))]
    rule = mark("rule", **style)
    return [
        layer([{"x": t}], rule, x=x, **pixels(y=top, y2=top + height))
        for top, height in zip(tops, heights, strict=True)
    ]


def _at(chart: Applications, t: float) -> float:
    return _PLOT * (t - chart.start) / (chart.end - chart.start)
