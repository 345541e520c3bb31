"""Colours, shapes and dashes of the charts.

Charts are drawn in the light colours below. In the SVG each colour becomes a CSS variable, so that one
drawing serves light and dark pages and print. The colours are those of Okabe and Ito (2008), darkened where
the contrast on white was less than 3:1.
"""

from dataclasses import dataclass
from typing import Any

INK = "#1a2129"
MUTED = "#56616e"
GRID = "#e1e5ea"
FAULT = "#b3261e"
# The background of the page, for text on colour.
PAGE = "#ffffff"

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

# The CSS variable of each colour.
VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    FAULT: "--fault",
    PAGE: "--page",
    **{colour: f"--s{index}" for index, colour in enumerate(SERIES)},
}


@dataclass(frozen=True)
class Style:
    """The style of a solution in all charts; colour is never the only distinction.

    `tag` identifies the solution for the page's script; nodes and ratios have none.
    """

    colour: str
    shape: str
    dash: list[int]
    tag: str = ""

    @property
    def stroke(self) -> dict[str, Any]:
        """Return the settings of a line."""
        return {"color": self.colour, **({"strokeDash": self.dash} if self.dash else {})}


def style(index: int) -> Style:
    """Return the style of the solution number `index`; colours and shapes repeat in other combinations."""
    size = len(SERIES)
    return Style(
        SERIES[index % size],
        SHAPES[(index + index // size) % len(SHAPES)],
        DASHES[(index + index // size) % len(DASHES)],
    )


# The style of marks without a solution, such as ratios; the colours above are reserved for solutions.
NEUTRAL = Style(INK, "circle", [])


def node_style(index: int) -> Style:
    """Return the style of a node, distinguished by its dash, as colours are reserved for solutions."""
    return Style((INK, MUTED)[index % 2], SHAPES[index % len(SHAPES)], DASHES[index % len(DASHES)])


def config() -> dict[str, Any]:
    """Return Vega-Lite's configuration: unobtrusive axes, readable type, no repetition for screen readers."""
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
