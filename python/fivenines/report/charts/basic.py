"""The charts of means: over connections, and as dots with intervals.

What a chart shows in colour it also shows by shape, dash or text.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from fivenines.analysis.statistics import Summary
from fivenines.report.charts import theme
from fivenines.report.charts.drawing import (
    WIDTH,
    Altair,
    Drawing,
    layer,
    mark,
    pixel,
    quantity,
    spread_out,
    text,
    whole,
)

_LABELS = 128
_PLOT = WIDTH - 24
_ROW = 46
_TRIAL_SHAPES = {"trial": "circle", "unnoticed": "stroke", "bound": "triangle-right"}


@dataclass(frozen=True)
class Line:
    """One solution over a quantity, as the number of connections, in ascending order."""

    name: str
    style: theme.Style
    points: Sequence[tuple[float, Summary]]


@dataclass(frozen=True)
class Dot:
    """One row of a dot chart: a mean with its interval, and each trial as (value, kind).

    Kinds: `trial`, `unnoticed` (no longer than an ordinary pause), `bound` (a lower bound).
    """

    name: str
    style: theme.Style
    summary: Summary
    trials: list[tuple[float, str]]
    value: str = ""


def lines(series: Sequence[Line], title: str) -> Drawing:
    """Means over the number of connections, intervals as bands, names at the line ends."""
    counts = sorted({count for line in series for count, _ in line.points})
    summaries = [summary for line in series for _, summary in line.points]
    top = 1.05 * max(max(s.ci_high or 0, s.mean or 0) for s in summaries) or 1.0
    width, height = WIDTH - _LABELS - 50, 210
    scale = alt.Scale(type="log", base=2, domain=[counts[0], counts[-1]], nice=False)
    x = alt.X(
        "x:Q",
        title="connections",
        scale=scale,
        axis=alt.Axis(values=counts, grid=False, format="d"),
    )
    y = quantity("y:Q", None, top, alt.Y)
    layers = [each for line in series for each in _line(line, x, y, top)]
    layers += end_labels(_ends(series, top, height), width, height)
    heading = {"text": title, "fontWeight": "normal", "offset": 10}
    return whole({"width": width, "height": height, "title": heading, "layer": layers})


def dots(rows: Sequence[Dot], title: str) -> Drawing:
    """One row for each name: the mean as a tick, its interval as a bar, each trial hollow."""
    top = max(
        max([row.summary.ci_high or 0, row.summary.mean or 0, *(v for v, _ in row.trials)])
        for row in rows
    )
    x = quantity("x:Q", title, 1.04 * top or 1.0, alt.X)
    layers = [each for index, row in enumerate(rows) for each in _dot(row, x, index * _ROW)]
    return whole({"width": _PLOT, "height": _ROW * len(rows), "layer": layers})


def _line(line: Line, x: Altair, y: Altair, top: float) -> list[Drawing]:
    colour = line.style.colour
    values = [
        {
            "x": count,
            "y": summary.mean,
            "low": max(0.0, summary.mean if summary.ci_low is None else summary.ci_low),
            "high": min(top, summary.mean if summary.ci_high is None else summary.ci_high),
        }
        for count, summary in line.points
        if summary.mean is not None
    ]
    band = mark().mark_area(color=colour, opacity=0.16)
    stroke = mark().mark_line(
        color=colour, strokeWidth=2, **({"strokeDash": line.style.dash} if line.style.dash else {})
    )
    points = mark().mark_point(
        shape=line.style.shape, size=60, filled=True, color=colour, opacity=1
    )
    return [
        layer(values, band, x=x, y=alt.Y("low:Q", title=None), y2=alt.Y2("high:Q")),
        layer(values, stroke, x=x, y=y),
        layer(values, points, x=x, y=y),
    ]


def end_labels(ends: Sequence[tuple[float, Line]], width: int, height: int) -> list[Drawing]:
    """The names of lines beside the plot; each with the place of its line's end, in px from the top."""
    labels = [(end, line, textwrap.wrap(line.name, 18)[:3]) for end, line in ends]
    sizes = [15.0 * len(words) + 3 for _, _, words in labels]
    centres = spread_out([label[0] for label in labels], sizes, -10, height + 12)
    return [
        text(
            words, width + 9, centre - 7.5 * (len(words) - 1), align="left", color=line.style.colour
        )
        for centre, (_, line, words) in zip(centres, labels, strict=True)
    ]


def _ends(series: Sequence[Line], top: float, height: int) -> list[tuple[float, Line]]:
    found = []
    for line in series:
        means = [summary.mean for _, summary in line.points if summary.mean is not None]
        if means:
            found.append((height * (1 - means[-1] / top), line))
    return found


def _dot(row: Dot, x: Altair, top: float) -> list[Drawing]:
    y, colour, summary = pixel(alt.YValue, top + 31), row.style.colour, row.summary
    layers = [text(row.name, 0, top + 14, align="left", fontWeight="bold")]
    value = row.value if len(row.name) + len(row.value) < 54 else row.value.partition(" (")[0]
    layers.append(text(value, _PLOT, top + 14, align="right", color=theme.MUTED))
    if summary.ci_low is not None and summary.ci_high is not None:
        ends = {"x": max(0.0, summary.ci_low), "x2": summary.ci_high}
        bar = mark().mark_rule(color=colour, strokeWidth=7, opacity=0.3)
        layers.append(layer([ends], bar, x=x, x2=alt.X2("x2:Q"), y=y))
    for kind, shape in _TRIAL_SHAPES.items():
        values = [{"x": value} for value, of in row.trials if of == kind]
        point = mark().mark_point(
            shape=shape, size=42, filled=False, color=colour, strokeWidth=1.5, opacity=1
        )
        if values:
            layers.append(layer(values, point, x=x, y=y))
    if summary.mean is not None:
        tick = mark().mark_tick(
            color=theme.INK, thickness=3, height=18, opacity=1, orient="vertical"
        )
        layers.append(layer([{"x": summary.mean}], tick, x=x, y=y))
    return layers
