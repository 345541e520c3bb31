"""Colours, shapes and dashes of the charts.

Charts are drawn in the light colours below; in the SVG each colour becomes a CSS variable with that
colour as fallback, so that one drawing serves light and dark pages and print. The colours are those
of Okabe and Ito (2008), darkened where they had less than 3:1 contrast on white.
"""

from dataclasses import dataclass
from typing import Any

INK = "#1a2129"
MUTED = "#56616e"
GRID = "#e1e5ea"
FAULT = "#b3261e"
PAGE = "#ffffff"
"""What shines through: for text on colour."""

SERIES = ("#0072b2", "#bd4d02", "#00795a", "#8e4a9e", "#7a6200", "#1f6f8b", "#a8326e", "#4d4d4d")
DARK_SERIES = ("#5cb8f0", "#ff9f66", "#3fd3a5", "#d9a0e6", "#e6cf4f", "#7fd0e6", "#ff9ad0", "#c9ced6")
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
DASHES: tuple[list[int], ...] = ([], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4], [1, 2], [6, 2, 1, 2])

FONT = "Arial, Liberation Sans, Helvetica, sans-serif"

VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    FAULT: "--fault",
    PAGE: "--page",
    **{colour: f"--s{index}" for index, colour in enumerate(SERIES)},
}
"""The CSS variable of each colour."""


@dataclass(frozen=True)
class Style:
    """How one solution is drawn everywhere: never by colour alone.

    `tag` names it to the script of the page, so that it can be told from the others in all charts;
    what is no solution of the run, as a node, has none.
    """

    colour: str
    shape: str
    dash: list[int]
    tag: str = ""

    @property
    def stroke(self) -> dict[str, Any]:
        """The settings of a line."""
        return {"color": self.colour, **({"strokeDash": self.dash} if self.dash else {})}


def style(index: int) -> Style:
    """The style of the solution number `index`; colour and shape repeat with different partners."""
    size = len(SERIES)
    return Style(
        SERIES[index % size],
        SHAPES[(index + index // size) % len(SHAPES)],
        DASHES[(index + index // size) % len(DASHES)],
    )


NEUTRAL = Style(INK, "circle", [])
"""Of what is no solution, as the ratio of two: the colours above are those of solutions alone."""


def node_style(index: int) -> Style:
    """The style of a node: ink, told from others by its dash, as colours are those of solutions."""
    return Style((INK, MUTED)[index % 2], SHAPES[index % len(SHAPES)], DASHES[index % len(DASHES)])


def config() -> dict[str, Any]:
    """Vega-Lite's configuration: quiet axes, readable type, no repetition for screen readers."""
    axis = {
        "labelColor": MUTED,
        "titleColor": INK,
        "domainColor": MUTED,
        "tickColor": MUTED,
        "gridColor": GRID,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelFlush": False,
    }
    return {
        "aria": False,
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "axis": axis,
        "text": {"color": INK, "fontSize": 13},
        "title": {"color": INK, "fontSize": 12, "fontWeight": "bold", "anchor": "start", "offset": 6},
    }
