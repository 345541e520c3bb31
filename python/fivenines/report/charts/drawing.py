"""Layers of charts: marks and encodings as plain Vega-Lite.

A library that builds and checks specifications takes a third of the time of a report with cached figures. The
tests check them instead, against Vega-Lite's schema.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, TypeAlias

from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.wording import THIN
from fivenines.report.charts import theme

# A Vega-Lite specification, or a part of one.
Drawing: TypeAlias = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"

# The approximate width of every chart in px, so that a phone shows it in full.
WIDTH = 400


# The thousands separator of the report's text.
THIN_LABEL = f"replace(datum.label, regexp(',', 'g'), '{THIN}')"


def mark(kind: str, **style: Any) -> Drawing:
    """Return a mark of Vega-Lite: `mark("line", strokeWidth=2)`."""
    return {"type": kind, **style}


def column(name: str) -> Drawing:
    """Return the encoding of a column of numbers."""
    return {"field": name, "type": "quantitative"}


def layer(values: Sequence[dict[str, Any]], mark: Drawing, tip: str = "", **encoding: Any) -> Drawing:
    """Return a layer of `values` drawn with a mark.

    A value's `tip` is the text under the pointer: words and figures as in the page's tables, with lines
    separated by a line feed. For many values, `tip` is a Vega expression.
    """
    more = {"transform": [{"calculate": tip, "as": "tip"}]} if tip else {}
    if tip or any("tip" in value for value in values):
        encoding["tooltip"] = {"field": "tip", "type": "nominal"}
    return {"data": {"values": list(values)}, **more, "mark": mark, "encoding": encoding}


def of(tag: str, layers: Sequence[Drawing]) -> list[Drawing]:
    """Mark layers as those of a solution, by its tag, for the page's script; `whole` numbers them."""
    return [{"name": f"of_{tag}", **each} for each in layers] if tag else list(layers)


def text(words: str | list[str], x: float, y: float, **style: Any) -> Drawing:
    """Return text at a place in px from the upper left corner of the plot."""
    label = mark("text", text=words, baseline="middle", fontSize=13, **style)
    return layer([{}], label, **pixels(x=x, y=y))


def bar(ends: tuple[float, float], x: Drawing, y: float, tip: str = "", **style: Any) -> Drawing:
    """Return a line between two values of the axis `x`, `y` px from the top."""
    rule = mark("rule", **style)
    values = [{"x": ends[0], "x2": ends[1], **({"tip": tip} if tip else {})}]
    return layer(values, rule, x=x, x2={"field": "x2"}, **pixels(y=y))


def points(
    values: Sequence[float], x: Drawing, y: float, tips: Sequence[str] = (), **style: Any
) -> list[Drawing]:
    """Return a layer with a mark for each value of the axis `x`, `y` px from the top; [] without values."""
    point = mark("point", strokeWidth=1.5, opacity=1, **style)
    rows: list[dict[str, Any]] = [{"x": value} for value in values]
    for row, tip in zip(rows, tips, strict=False):
        row["tip"] = tip
    return [layer(rows, point, x=x, **pixels(y=y))] if rows else []


def cross(
    at: tuple[float, float],
    across: tuple[float, float] | None,
    upright: tuple[float, float] | None,
    axes: tuple[Drawing, Drawing],
    colour: str,
    shape: str,
    tip: str,
) -> list[Drawing]:
    """Return the layers of a point with its intervals as bars; an interval that is not known has none.

    Args:
        at: place of the point on both axes.
        across: ends of the interval of the horizontal axis.
        upright: ends of the interval of the vertical axis.
        axes: both axes.
        colour, shape: those of the point.
        tip: text under the pointer.
    """
    x, y = axes
    place = {"x": at[0], "y": at[1]}
    rule = mark("rule", color=colour, strokeWidth=6, opacity=0.25, clip=True)
    layers = []
    if across is not None:
        layers.append(layer([{**place, "x": across[0], "x2": across[1]}], rule, x=x, x2={"field": "x2"}, y=y))
    if upright is not None:
        layers.append(
            layer([{**place, "y": upright[0], "y2": upright[1]}], rule, x=x, y=y, y2={"field": "y2"})
        )
    point = mark("point", shape=shape, size=90, filled=True, color=colour, opacity=1)
    return [*layers, layer([{**place, "tip": tip}], point, x=x, y=y)]


def interval(summary: Summary, unit: float = 1.0) -> tuple[float, float] | None:
    """Return the ends of a mean's interval divided by a unit, from 0 on; None if it has none."""
    if summary.ci_low is None or summary.ci_high is None:
        return None
    return max(0.0, summary.ci_low) / unit, summary.ci_high / unit


def pixels(**places: float) -> dict[str, Any]:
    """Return fixed places in px as encodings: `pixels(x=0, x2=16, y=6)`."""
    return {channel: {"value": value} for channel, value in places.items()}


def heading(words: str | list[str], offset: int, **style: Any) -> Drawing:
    """Return a chart's title in plain type, `offset` px above it."""
    return {"text": words, "fontWeight": "normal", "offset": offset, **style}


def whole(spec: Drawing) -> Drawing:
    """Return the specification with the configuration of all charts, and unique names of layers."""
    _number(spec, count(1))
    return {"$schema": _SCHEMA, "config": theme.config(), **spec}


def _number(spec: Drawing, numbers: Iterator[int]) -> None:
    for part in ("layer", "concat", "vconcat"):
        for each in spec.get(part, []):
            if "name" in each:
                each["name"] += f"_{next(numbers)}"
            _number(each, numbers)


def quantity(name: str, title: str | None, top: float, **ticks: Any) -> Drawing:
    """Return an axis from 0 to `top` for quantities of any size."""
    usual = {"tickCount": 5, "format": ",f", "labelExpr": THIN_LABEL}
    return between(name, title, (0, top), **{**usual, **ticks})


def between(name: str, title: str | None, ends: tuple[float, float], **ticks: Any) -> Drawing:
    """Return an axis from one value to another."""
    return axis(name, title, {"domain": list(ends), "nice": False}, **ticks)


def axis(name: str, title: str | None, scale: Drawing, **ticks: Any) -> Drawing:
    """Return the encoding of a column of numbers as places on an axis."""
    return {**column(name), "title": title, "scale": scale, "axis": ticks}


def logarithmic(ends: tuple[float, float], **more: Any) -> Drawing:
    """Return a logarithmic scale from one value to another."""
    return {"type": "log", "domain": list(ends), "nice": False, **more}


def spread_out(centres: list[float], sizes: list[float], low: float, high: float) -> list[float]:
    """Move centres of labels apart so that the labels neither overlap nor leave [low, high].

    The order stays; without room for all labels, they leave the range at its lower end.
    """
    order = sorted(range(len(centres)), key=centres.__getitem__)
    moved = list(centres)
    edge = low
    for index in order:
        moved[index] = max(moved[index], edge + sizes[index] / 2)
        edge = moved[index] + sizes[index] / 2
    edge = high
    for index in reversed(order):
        moved[index] = min(moved[index], edge - sizes[index] / 2)
        edge = moved[index] - sizes[index] / 2
    return moved
