"""The chart of a failover: successes of writes and of reads around the fault, on one time axis."""

from collections.abc import Sequence
from dataclasses import dataclass, field

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
    spread_out,
    text,
    whole,
)

_PLOT = WIDTH - 50
_HEIGHT = 104
# The height of the brackets over interruptions, from the top.
_BRACKET = 12.0
# The number of rows of labels, if one row has no room for all.
_ROWS = 2


@dataclass(frozen=True)
class Mark:
    """An event on a time line, in seconds from the fault; `fault` marks the injection of another fault."""

    t: float
    label: str
    fault: bool = False


@dataclass(frozen=True)
class Panel:
    """One half of a failover chart: successes per slot of the chosen trial and of the others.

    `gaps` are the interruptions (start, end, text) of the chosen trial, in seconds from the fault. `most` is
    the largest value of all charts that are compared with this one, so that they share a scale.
    """

    title: str
    chosen: list[tuple[float, float]]
    others: list[list[tuple[float, float]]]
    colour: str
    gaps: Sequence[tuple[float, float, str]] = ()
    most: float = 0.0


@dataclass(frozen=True)
class Failover:
    """The failover chart of a cell: x from `start` to `end` seconds from the fault."""

    start: float
    end: float
    panels: list[Panel]
    fault: str
    marks: list[Mark] = field(default_factory=list)

    @property
    def seen(self) -> list[Mark]:
        """Return the marks on the axis; only the list below the chart has later events."""
        return [each for each in self.marks if self.start <= each.t <= self.end]

    def px(self, t: float) -> float:
        """Return the place of a time in px from the left of the plot."""
        return _PLOT * (t - self.start) / (self.end - self.start)


def failover(chart: Failover) -> Drawing:
    """Draw one panel below the other, with numbered events above the first."""
    last = len(chart.panels) - 1
    panels = [_panel(chart, panel, i == 0, i == last) for i, panel in enumerate(chart.panels)]
    return whole({"vconcat": panels, "spacing": 14, "resolve": {"scale": {"x": "shared"}}})


def _panel(chart: Failover, panel: Panel, first: bool, last: bool) -> Drawing:
    lines = [panel.chosen, *panel.others]
    top = 1.45 * max([1.0, panel.most, *(value for line in lines for _, value in line)])
    title, ticks = "seconds from the fault" if last else None, {"labels": last, "ticks": last}
    x = between("x", title, (chart.start, chart.end), grid=False, tickCount=8, **ticks)
    y = quantity("y", None, top, tickCount=3, minExtent=36, maxExtent=36)
    layers = [layer(_values(other), _faint(), x=x, y=y) for other in panel.others]
    layers.append(layer(_values(panel.chosen), _filled(panel.colour), x=x, y=y))
    layers += _rules(chart, x)
    layers += _labels(chart) if first else []
    layers += _gaps(chart, panel.gaps)
    top_line = heading(panel.title, 20 if first else 6)
    return {"width": _PLOT, "height": _HEIGHT, "title": top_line, "layer": layers}


def _values(points: list[tuple[float, float]]) -> list[dict[str, float]]:
    return [{"x": at, "y": value} for at, value in points]


def _filled(colour: str) -> Drawing:
    return mark(
        "area",
        interpolate="step-after",
        color=colour,
        fillOpacity=0.18,
        line={"color": colour, "strokeWidth": 1.5},
        clip=True,
    )


def _faint() -> Drawing:
    return mark("line", interpolate="step-after", color=theme.MUTED, opacity=0.45, strokeWidth=0.8, clip=True)


def _rules(chart: Failover, x: Drawing) -> list[Drawing]:
    fault = mark("rule", color=theme.FAULT, strokeWidth=2)
    event = mark("rule", color=theme.MUTED, strokeDash=[3, 3])
    events = [{"x": each.t} for each in chart.seen if not each.fault]
    faults = [{"x": 0.0}, *({"x": each.t} for each in chart.seen if each.fault)]
    below = pixels(y=34, y2=_HEIGHT)  # so that no rule crosses a label
    layers = [layer(events, event, x=x, **below)] if events else []
    return [*layers, layer(faults, fault, x=x)]


def _labels(chart: Failover) -> list[Drawing]:
    """Draw the fault's name left of its line, and the numbers of the events above theirs."""
    at = chart.px(0)
    name = text(chart.fault, at - 4, -9, align="right", color=theme.FAULT)
    sizes = [8.0 * len(each.label) + 4 for each in chart.seen]
    places = spread_out([chart.px(each.t) for each in chart.seen], sizes, at, _PLOT + 8)
    return [name] + [
        text(each.label, place, -9, align="center") for each, place in zip(chart.seen, places, strict=True)
    ]


def _gaps(chart: Failover, gaps: Sequence[tuple[float, float, str]]) -> list[Drawing]:
    """Draw a bracket over each interruption, and the labels in one or two rows below them."""
    layers: list[Drawing] = []
    labels = _fitting([words for _, _, words in gaps])
    sizes = [_size(words) for words in labels]
    rows = 1 if sum(sizes) < _PLOT else _ROWS
    for begin, finish, _ in gaps:
        layers += _bracket(chart.px(begin), chart.px(finish))
    for row in range(rows):
        own = range(row, len(gaps), rows)
        # Labels start at their bracket, and do not cross the line of the fault if there is room.
        room = [sizes[index] for index in own]
        centres = [chart.px(gaps[index][0]) + sizes[index] / 2 for index in own]
        low = chart.px(0) if sum(room) < _PLOT - chart.px(0) else 0
        places = spread_out(centres, room, low, _PLOT)
        # From the left: the sizes are estimates, and a narrower font would move a centred label to the right.
        layers += [
            text(labels[index], place - sizes[index] / 2 + 3, _BRACKET + 13 * (row + 1), align="left")
            for index, place in zip(own, places, strict=True)
        ]
    return layers


def _size(words: str) -> float:
    """Return the approximate width of a label in px."""
    return 6.7 * len(words) + 10 if words else 0.0


def _fitting(labels: list[str]) -> list[str]:
    """Return labels that fit into the rows: without room, lengths without causes; then every other one."""
    fits = all(sum(map(_size, labels[row::_ROWS])) < _PLOT for row in range(_ROWS))
    if fits or len(labels) < 2:
        return labels
    short = [words.partition(":")[0] for words in labels]
    if short != labels:
        return _fitting(short)
    kept = iter(_fitting([words for words in labels if words][::2]))
    shown = [bool(words) for words in labels]
    places = [index for index, has in enumerate(shown) if has][::2]
    return [next(kept) if index in places else "" for index in range(len(labels))]


def _bracket(start: float, end: float) -> list[Drawing]:
    rule = mark("rule", color=theme.INK, strokeWidth=1.5)
    strokes = [pixels(x=start, x2=end, y=_BRACKET)]
    strokes += [pixels(x=x, y=_BRACKET - 5, y2=_BRACKET + 5) for x in (start, end)]
    return [layer([{}], rule, **stroke) for stroke in strokes]
