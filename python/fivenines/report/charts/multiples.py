"""Small multiples: a small chart for each of several figures of a trial over time, with nodes as lines."""

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fivenines.analysis.resources.series import Series, thinned
from fivenines.report.charts import theme
from fivenines.report.charts.drawing import (
    WIDTH,
    Drawing,
    between,
    heading,
    layer,
    mark,
    pixels,
    quantity,
    text,
    whole,
)
from fivenines.results.records import TrialRecord

# The largest number of drawn points of a line.
MOST_POINTS = 90

_HALF, _HEIGHT, _AXIS = 158, 58, 32
_LEGEND = 18


@dataclass(frozen=True)
class Multiple:
    """One small chart: a title, and a line for each node (t in ms of the trial).

    `unit` converts its values to a unit that other charts share (1000 for seconds among ms): charts with a
    `unit` share a scale.
    """

    title: str
    lines: Mapping[str, Series]
    unit: float | None = None


@dataclass(frozen=True)
class Multiples:
    """Charts with a common time axis: `start` to `end` in seconds; `marks` are the times of faults.

    `zero` is the origin of the axis, in seconds of the trial.
    """

    start: float
    end: float
    charts: Sequence[Multiple]
    marks: Sequence[float] = ()
    wide: bool = False
    zero: float = 0.0

    @property
    def names(self) -> list[str]:
        """Return all hosts, database nodes first, so that these look alike in all figures of a trial."""
        names = {name for chart in self.charts for name in chart.lines}
        return sorted(names, key=lambda name: (not name.startswith("node"), name))


def of_trial(record: TrialRecord, charts: Sequence[Multiple], *, wide: bool = False) -> Multiples:
    """Return charts over the whole load of a trial, counted from its first fault, with all faults marked."""
    ends = [float(one.t[-1]) for chart in charts for one in chart.lines.values() if len(one)]
    end = record.windows.end if record.windows else max(ends, default=1.0)
    zero = min((fault.at for fault in record.faults), default=0.0) / 1000
    marks = [fault.at / 1000 - zero for fault in record.faults]
    return Multiples(-zero, end / 1000 - zero, charts, marks, wide, zero)


def multiples(chart: Multiples) -> Drawing:
    """Draw two columns of small charts, or one of wide charts, below a legend of the nodes."""
    styles = {name: theme.node_style(index) for index, name in enumerate(chart.names)}
    columns = 1 if chart.wide else 2
    shared = max((one.unit * _most(one) for one in chart.charts if one.unit), default=0.0)
    panels = [
        _panel(chart, one, styles, shared / one.unit if one.unit else _most(one)) for one in chart.charts
    ]
    grid = {"concat": panels, "columns": columns, "spacing": {"row": 8, "column": 10}}
    return whole({"vconcat": [_legend(styles), grid], "spacing": 4})


def _most(one: Multiple) -> float:
    """Return the largest value; 0 without values."""
    every = (series.v[~np.isnan(series.v)] for series in one.lines.values())
    return max((float(values.max()) for values in every if len(values)), default=0.0)


def _panel(chart: Multiples, one: Multiple, styles: Mapping[str, theme.Style], top: float) -> Drawing:
    width = WIDTH - _AXIS - 18 if chart.wide else _HALF - 2
    ticks = {"tickCount": 7 if chart.wide else 4, "labelExpr": "datum.label + ' s'"}
    x = between("x", None, (chart.start, chart.end), grid=False, **ticks)
    values = {name: _values(series, chart.zero) for name, series in one.lines.items()}
    y = quantity(
        "y",
        None,
        1.08 * top or 1.0,
        tickCount=3,
        minExtent=_AXIS,
        maxExtent=_AXIS,
        **(
            {"format": "~s" if top >= 10_000 else ".2~f", "labelExpr": "datum.label"}
            if top >= 10_000 or top < 10
            else {}
        ),
    )
    layers = [
        layer(values[name], _stroke(styles[name]), _tip(name, one.title, bool(chart.marks)), x=x, y=y)
        for name in values
        if values[name]
    ]
    if chart.marks:
        fault = mark("rule", color=theme.FAULT, strokeWidth=1.5)
        layers.append(layer([{"x": at} for at in chart.marks], fault, x=x))
    title = heading(textwrap.wrap(one.title, 56 if chart.wide else 28), 4, fontSize=11)
    return {"width": width, "height": _HEIGHT, "title": title, "layer": layers}


def _tip(name: str, title: str, since_fault: bool) -> str:
    """Return the text of a point as an expression, with the precision of the drawing."""
    when = "' s after the fault'" if since_fault else "' s after the start'"
    words = json.dumps(f"{name}\n{title}: ")
    return f"{words} + format(datum.y, '.4~r') + '\\n' + format(datum.x, '.1f') + {when}"


def _values(series: Series, zero: float) -> list[dict[str, float | None]]:
    """Return the points of a line, which is interrupted where values are missing."""
    drawn = thinned(series, MOST_POINTS)
    return [
        {"x": round(float(t) / 1000 - zero, 2), "y": None if np.isnan(v) else float(f"{v:.4g}")}
        for t, v in zip(drawn.t, drawn.v, strict=True)
    ]


def _stroke(style: theme.Style) -> Drawing:
    # Round caps make a sample between two gaps visible as a dot.
    return mark("line", strokeWidth=1.5, strokeCap="round", clip=True, **style.stroke)


def _legend(styles: Mapping[str, theme.Style]) -> Drawing:
    """Draw a line and the name of each node."""
    layers, at, row = [], 0.0, 0
    for name, style in styles.items():
        needed = 34 + 7.2 * len(name) + 12
        if at and at + needed > WIDTH:
            at, row = 0.0, row + 1
        y = _LEGEND * row + _LEGEND / 2
        stroke = mark("rule", strokeWidth=2, **style.stroke)
        layers.append(layer([{}], stroke, **pixels(x=at, x2=at + 26, y=y)))
        layers.append(text(name, at + 31, y, align="left", color=style.colour))
        at += needed
    return {"width": WIDTH - 30, "height": _LEGEND * (row + 1), "layer": layers}
