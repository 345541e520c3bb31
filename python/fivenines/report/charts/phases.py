"""The chart of failovers by phase: stacked horizontal bars on one time axis.

Phases differ by lightness and by their numbers; the text above a bar has its figures.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.analysis.availability.phases import PHASES
from fivenines.analysis.wording import milliseconds
from fivenines.report.charts import theme
from fivenines.report.charts.drawing import (
    WIDTH,
    Drawing,
    bar,
    layer,
    mark,
    of,
    pixels,
    quantity,
    text,
    whole,
)
from fivenines.report.charts.fitting import ROOM, fitted

_PLOT = WIDTH - 24
_ROW = 70
# The height of a further line of a bar's figures, and the number of characters in a line.
_LINE, _LETTERS = 16, 56
_LEGEND = 26
_BAR = 16
# The approximate widths in px of letters whose width is unusual.
_NARROW = {"i": 3.2, "t": 3.8, "r": 4.4, " ": 3.6, "c": 6.2, "m": 10.4}


@dataclass(frozen=True)
class Bar:
    """A failover, times in s: `phases` are (place in `PHASES` from 1, start, end), in order.

    `figures` are the durations as text, `value` is the total. `low` and `high` are the interval of the
    total. `bound` is a lower bound of the total, drawn behind the phases with an arrow.
    """

    name: str
    value: str
    figures: str
    phases: list[tuple[int, float, float]]
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    tag: str = ""

    @property
    def heading(self) -> tuple[list[str], str]:
        """Return the lines of the name, and the total if both share a line; else it precedes the figures."""
        name, value = fitted(self.name, self.value)
        return ([name], value) if name == self.name else (textwrap.wrap(self.name, ROOM), "")

    @property
    def end(self) -> float:
        """Return the right end of the drawing."""
        ends = [end for _, _, end in self.phases]
        return max([0.0, *ends, self.high or 0.0, self.bound or 0.0])


def bars(rows: Sequence[Bar]) -> Drawing:
    """Draw a legend of the present phases, numbered without gaps, and a row for each failover."""
    present = sorted({number for row in rows for number, *_ in row.phases})
    numbers = {phase: place for place, phase in enumerate(present, 1)}
    top = 1.04 * max([row.end for row in rows], default=0.0) or 1.0
    x = quantity("x", "seconds from the fault", top, grid=False)
    layers = _legend(numbers)
    below = _LEGEND if numbers else 0
    for row in rows:
        layers += of(row.tag, _row(row, x, below, top, numbers))
        below += _ROW + _LINE * (len(_lines(row)) + len(row.heading[0]) - 2)
    return whole({"width": _PLOT, "height": below, "layer": layers})


def _lines(row: Bar) -> list[str]:
    """Wrap the figures of a bar."""
    _, value = row.heading
    figures = row.figures if value else f"{row.value}: {row.figures}".removesuffix(": ")
    return textwrap.wrap(figures, _LETTERS) or [""]


def _legend(numbers: Mapping[int, int]) -> list[Drawing]:
    layers, left = [], 0.0
    for phase, number in numbers.items():
        name = PHASES[phase - 1]
        swatch = mark("rule", color=_colour(number), strokeWidth=_BAR)
        layers.append(layer([{}], swatch, **pixels(x=left, x2=left + 16, y=6)))
        layers.append(_number(number, left + 8, 6))
        layers.append(text(name, left + 21, 6, align="left"))
        left += 38 + sum(_NARROW.get(letter, 6.8) for letter in name)
    return layers


def _colour(number: int) -> str:
    """Return a colour; neighbours differ in lightness, as hues are reserved for solutions."""
    return theme.INK if number % 2 else theme.MUTED


def _row(row: Bar, x: Drawing, top: float, scale: float, numbers: Mapping[int, int]) -> list[Drawing]:
    names, value = row.heading
    lines = _lines(row)
    below = _LINE * (len(names) - 1)
    y = top + 48 + below + _LINE * (len(lines) - 1)
    layers = [
        text(names, 0, top + 12, align="left", fontWeight="bold", lineHeight=_LINE),
        text(value, _PLOT, top + 12, align="right", color=theme.MUTED),
        text(lines, 0, top + 30 + below, align="left", color=theme.MUTED, lineHeight=_LINE),
    ]
    for phase, start, end in row.phases:
        number = numbers[phase]
        colour = _colour(number)
        tip = f"{row.name}\n{PHASES[phase - 1]}: {milliseconds(1000 * (end - start))}"
        tip += f"\nfrom {_since(start)} to {_since(end)} after the fault"
        if end > start:
            layers.append(bar((start, end), x, y, tip, color=colour, strokeWidth=_BAR, opacity=1))
        centre = _PLOT * (start + end) / 2 / scale
        if _PLOT * (end - start) / scale >= 12:
            layers.append(_number(number, centre, y))
    if row.bound is not None:
        known = row.phases[-1][2] if row.phases else 0.0
        if row.bound > known:
            grey = {"color": theme.MUTED, "opacity": 0.4}
            tip = f"{row.name}\nat least {_since(row.bound)} after the fault"
            layers.append(bar((known, row.bound), x, y, tip, strokeWidth=_BAR, **grey))
        layers.append(text("▸", _PLOT * max(known, row.bound) / scale + 1, y, align="left"))
    return layers + _interval(row, x, y + _BAR / 2 + 5)


def _since(seconds: float) -> str:
    return milliseconds(1000 * seconds)


def _number(number: int, x: float, y: float) -> Drawing:
    words = mark(
        "text", text=str(number), baseline="middle", fontSize=11, fontWeight="bold", color=theme.PAGE
    )
    return layer([{}], words, **pixels(x=x, y=y))


def _interval(row: Bar, x: Drawing, y: float) -> list[Drawing]:
    """Draw the interval of the total, below the end of the bar."""
    if row.low is None or row.high is None:
        return []
    ends = (max(0.0, row.low), row.high)
    style: dict[str, Any] = {"color": theme.INK, "strokeWidth": 1.5}
    cap, height = mark("rule", **style), pixels(y=y - 3, y2=y + 3)
    return [bar(ends, x, y, **style), *(layer([{"x": end}], cap, x=x, **height) for end in ends)]
