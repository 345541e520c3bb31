"""Charts of means: lines over connections, and dots with intervals.

Colour is never the only distinction: shapes, dashes or text repeat it.
"""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.wording import count, mean_with_interval, number
from fivenines.report.charts import theme
from fivenines.report.charts.drawing import (
    WIDTH,
    Drawing,
    axis,
    bar,
    column,
    heading,
    layer,
    logarithmic,
    mark,
    of,
    pixels,
    points,
    quantity,
    spread_out,
    text,
    whole,
)
from fivenines.report.charts.fitting import fitted

# The width of a chart of lines in px, without the names at their ends.
LINES = WIDTH - 178
_PLOT = WIDTH - 24
_ROW = 60
# The places of a row's interval and, below it, of its trials, so that these do not hide it.
_BAR, _MARKS = 30, 46
_TRIAL_SHAPES = {"trial": "circle", "unnoticed": "stroke", "bound": "triangle-right"}
_TRIAL_WORDS = {
    "trial": "one trial: {}",
    "unnoticed": "one trial: {}, no longer than an ordinary pause",
    "bound": "one trial: at least {}",
}


@dataclass(frozen=True)
class Line:
    """One solution over a quantity, such as the number of connections, in ascending order."""

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
    """Draw means over the number of connections, with intervals as bands and names at the line ends."""
    counts = sorted({at for line in series for at, _ in line.points})
    summaries = [summary for line in series for _, summary in line.points]
    top = 1.05 * max(max(s.ci_high or 0, s.mean or 0) for s in summaries) or 1.0
    height = 210
    scale = logarithmic((counts[0], counts[-1]), base=2)
    x = axis("x", "connections", scale, values=counts, grid=False, format="d")
    y = quantity("y", None, top)
    layers = [each for line in series for each in curve(line, x, y, (0.0, top), (title, _connections))]
    return with_names(layers, _ends(series, top, height), title, height)


def dots(rows: Sequence[Dot], title: str, alike: float | None = None) -> Drawing:
    """Draw a row for each name: the mean as a tick, its interval as a bar, and hollow trials below it.

    `alike` is the value at which there is no difference: a vertical line through all rows.
    """
    top = max(
        max([row.summary.ci_high or 0, row.summary.mean or 0, *(v for v, _ in row.trials)]) for row in rows
    )
    x = quantity("x", title, 1.04 * max(top, alike or 0.0) or 1.0)
    layers = [] if alike is None else _line(alike, x, _ROW * len(rows))
    layers += [
        each
        for index, row in enumerate(rows)
        for each in of(row.style.tag, _dot(row, x, index * _ROW, title))
    ]
    return whole({"width": _PLOT, "height": _ROW * len(rows), "layer": layers})


def _connections(at: float) -> str:
    return count(int(at), "connection")


def curve(
    line: Line,
    x: Drawing,
    y: Drawing,
    limits: tuple[float, float],
    words: tuple[str, Callable[[float], str]],
    **band: Any,
) -> list[Drawing]:
    """Draw the intervals of a line as a band, cut at `limits`, and its means as a joined line.

    `words` are the unit of the values, and a function that names a place on the axis `x`.
    """
    low, high = limits
    unit, place = words
    values = [
        {
            "x": at,
            "y": summary.mean,
            "low": max(low, summary.mean if summary.ci_low is None else summary.ci_low),
            "high": min(high, summary.mean if summary.ci_high is None else summary.ci_high),
            "tip": f"{line.name}\n{mean_with_interval(summary)} {unit}\n{place(at)}",
        }
        for at, summary in line.points
        if summary.mean is not None
    ]
    colour = line.style.colour
    area = mark("area", color=colour, opacity=0.16, **band)
    stroke = mark("line", strokeWidth=2, **line.style.stroke)
    dot = mark("point", shape=line.style.shape, size=60, filled=True, color=colour, opacity=1)
    silent = [{key: value for key, value in row.items() if key != "tip"} for row in values]
    layers = [
        layer(silent, area, x=x, y={**column("low"), "title": None}, y2={"field": "high"}),
        layer(silent, stroke, x=x, y=y),
        layer(values, dot, x=x, y=y),
    ]
    return of(line.style.tag, layers)


def with_names(
    layers: list[Drawing], ends: Sequence[tuple[float, Line]], title: str, height: int, marked: bool = False
) -> Drawing:
    """Return a chart with names at the right.

    Args:
        layers: the chart.
        ends: the place of each name, in px from the top.
        title: its title.
        height: height of the plot in px.
        marked: whether the chart has points, whose shape is repeated before each name: colours recur.
    """
    labels = [(end, line, textwrap.wrap(line.name, 18, max_lines=3, placeholder="…")) for end, line in ends]
    sizes = [15.0 * len(words) + 3 for _, _, words in labels]
    centres = spread_out([label[0] for label in labels], sizes, -10, height + 12)
    names = []
    for centre, (_, line, words) in zip(centres, labels, strict=True):
        at = centre - 7.5 * (len(words) - 1)
        left = LINES + (22 if marked else 9)
        name = [text(words, left, at, align="left", color=line.style.colour)]
        if marked:
            point = mark(
                "point", shape=line.style.shape, size=60, filled=True, color=line.style.colour, opacity=1
            )
            name.append(layer([{}], point, **pixels(x=LINES + 12, y=at)))
        names += of(line.style.tag, name)
    top = heading(title, 10)
    return whole({"width": LINES, "height": height, "title": top, "layer": [*layers, *names]})


def _ends(series: Sequence[Line], top: float, height: int) -> list[tuple[float, Line]]:
    ends = []
    for line in series:
        means = [summary.mean for _, summary in line.points if summary.mean is not None]
        if means:
            ends.append((height * (1 - means[-1] / top), line))
    return ends


def _dot(row: Dot, x: Drawing, top: float, unit: str) -> list[Drawing]:
    y, colour, summary = top + _BAR, row.style.colour, row.summary
    name, value = fitted(row.name, row.value)
    layers = [text(name, 0, top + 14, align="left", fontWeight="bold")]
    layers.append(text(value, _PLOT, top + 14, align="right", color=theme.MUTED))
    if summary.ci_low is not None and summary.ci_high is not None:
        ends = (max(0.0, summary.ci_low), summary.ci_high)
        layers.append(bar(ends, x, y, color=colour, strokeWidth=9, opacity=0.4))
    for kind, shape in _TRIAL_SHAPES.items():
        values = [value for value, such in row.trials if such == kind]
        tips = [f"{row.name}\n{_TRIAL_WORDS[kind].format(f'{number(v)} {unit}')}" for v in values]
        style = {"shape": shape, "size": 36, "filled": False, "color": colour}
        layers += points(values, x, top + _MARKS, tips, **style)
    if summary.mean is not None:
        tick = mark("tick", color=theme.INK, thickness=3, height=15, opacity=1, orient="vertical")
        tip = f"{row.name}\n{row.value or number(summary.mean)}\n{_mean_words(summary)}"
        layers.append(layer([{"x": summary.mean, "tip": tip}], tick, x=x, **pixels(y=y)))
    return layers


def _line(at: float, x: Drawing, height: float) -> list[Drawing]:
    rule = mark("rule", color=theme.INK, strokeWidth=1.5, strokeDash=[5, 3])
    return [layer([{"x": at}], rule, x=x, **pixels(y=_BAR - 8, y2=height))]


def _mean_words(summary: Summary) -> str:
    interval = "" if summary.ci_low is None else "; in brackets its 95 % interval"
    return f"mean of {count(summary.n, 'value')}{interval}"
