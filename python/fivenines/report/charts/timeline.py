"""The frame of the time line of a trial, for which the page's script supplies the rows.

templates/timeline.js sets its parameters and data for the trial and the period that the reader has
chosen: `from` and `to` (seconds from the fault), `per` (the width of a slot, in words),
`top_writes` and `top_reads`; `marks` with t, place, label and fault; and of each panel `WHAT` with x and y,
`WHAT_faint` (the other trials) with trial, x and y, `WHAT_gaps` with a and b, `WHAT_ends` with x, and
`WHAT_words` with x, y and text; `place`, and x and y of words, are in px of the plot.
"""

from typing import Any

from fivenines.report.charts import theme
from fivenines.report.charts.drawing import THIN_LABEL, WIDTH, Drawing, heading

# Sizes in px: the plot of a panel, and the height of the brackets over interruptions.
PLOT, HEIGHT, BRACKET = WIDTH - 50, 104, 12.0

# The colour of the solution, a variable of the element around the chart.
_OWN = "var(--of)"


def frame() -> Drawing:
    """Return the specification without rows; the script removes panels without data."""
    known = {"from": 0, "to": 1, "per": "", "top_writes": 1, "top_reads": 1}
    return {
        "params": [{"name": name, "value": value} for name, value in known.items()],
        "vconcat": [_panel("writes", _OWN, True), _panel("reads", theme.INK, False)],
        "spacing": 14,
    }


def _panel(what: str, colour: str, first: bool) -> Drawing:
    layers = [
        _layer(f"{what}_faint", _line(theme.MUTED, 0.8, 0.45), y=_height(what), detail=_of("trial")),
        _layer(what, _area(colour), y=_height(what)),
        _rules("!datum.fault", {"color": theme.MUTED, "strokeDash": [3, 3]}, 34),
        _rules("datum.fault", {"color": theme.FAULT, "strokeWidth": 2}, 0),
        *_brackets(what),
        _words(what),
        *([_numbers()] if first else []),
    ]
    title = {"expr": f"'Successful {what} per ' + per"}
    return {
        "name": what,
        "width": PLOT,
        "height": HEIGHT,
        "title": heading("", 20 if first else 6) | {"text": title},
        "layer": layers,
    }


def _of(field: str) -> Drawing:
    return {"field": field, "type": "nominal"}


def _time(field: str = "x") -> Drawing:
    domain = {"domainMin": {"expr": "from"}, "domainMax": {"expr": "to"}}
    scale = {**domain, "nice": False, "zero": False}
    axis = {"grid": False, "tickCount": 7}
    title = "seconds from the fault"
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _height(what: str) -> Drawing:
    scale = {"domainMin": 0, "domainMax": {"expr": f"top_{what}"}, "nice": False}
    axis = {"tickCount": 3, "format": ",.3~r", "labelExpr": THIN_LABEL, "minExtent": 36, "maxExtent": 36}
    return {"field": "y", "type": "quantitative", "title": None, "scale": scale, "axis": axis}


def _layer(name: str, mark: Drawing, **encoding: Drawing) -> Drawing:
    return {"data": {"name": name}, "mark": mark, "encoding": {"x": _time(), **encoding}}


def _line(colour: str, width: float, opacity: float) -> Drawing:
    return {
        "type": "line",
        "interpolate": "step-after",
        "color": colour,
        "strokeWidth": width,
        "opacity": opacity,
        "clip": True,
    }


def _area(colour: str) -> Drawing:
    line = {"color": colour, "strokeWidth": 1.5}
    return {
        "type": "area",
        "interpolate": "step-after",
        "color": colour,
        "fillOpacity": 0.18,
        "line": line,
        "clip": True,
    }


def _rules(test: str, style: dict[str, Any], top: float) -> Drawing:
    rules = _layer("marks", {"type": "rule", "clip": True, **style})
    rules["transform"] = [{"filter": f"{test} && datum.t >= from && datum.t <= to"}]
    rules["encoding"] = {"x": _time("t"), "y": {"value": top}, "y2": {"value": HEIGHT}}
    return rules


def _brackets(what: str) -> list[Drawing]:
    """Draw a line over the visible part of each interruption, and its visible ends."""
    rule = {"type": "rule", "color": theme.INK, "strokeWidth": 1.5}
    stroke = _layer(f"{what}_gaps", rule, x2={"field": "b"}, y={"value": BRACKET})
    stroke["encoding"]["x"] = _time("a")
    ends = {"y": {"value": BRACKET - 5}, "y2": {"value": BRACKET + 5}}
    return [stroke, _layer(f"{what}_ends", rule, **ends)]


def _words(what: str) -> Drawing:
    """Draw the length of each interruption and its cause."""
    mark = {"type": "text", "align": "center", "baseline": "middle", "fontSize": 12}
    words = _layer(f"{what}_words", mark, text=_of("text"))
    words["encoding"] |= {"x": _px("x"), "y": _px("y")}
    return words


def _px(field: str) -> Drawing:
    """Return a place in px that the script computes."""
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def _numbers() -> Drawing:
    """Draw the number of each event above its line; the script moves numbers apart."""
    mark = {"type": "text", "baseline": "middle", "fontSize": 13, "y": -9}
    colour = {"condition": {"test": "datum.fault", "value": theme.FAULT}, "value": theme.INK}
    numbers = _layer("marks", mark, text=_of("label"), color=colour)
    numbers["transform"] = [{"filter": "datum.t >= from && datum.t <= to"}]
    numbers["encoding"]["x"] = _px("place")
    return numbers
