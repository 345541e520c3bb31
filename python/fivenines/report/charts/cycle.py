"""A small drawing of dependencies: transactions on a circle, with labelled arrows between them."""

import math
from collections.abc import Sequence

from markupsafe import Markup, escape

from fivenines.report.charts import theme

Edge = tuple[int, str, int]
# The number of drawn transactions; the labels of more would overlap.
MOST = 8

_WIDTH, _HEIGHT, _NODE_W, _NODE_H = 400, 250, 64, 26
_COLOURS = {"ww": theme.SERIES[0], "wr": theme.SERIES[2], "rw": theme.FAULT}
_DASHES = {"ww": "", "wr": "7 3", "rw": "2 3"}


def cycle_svg(edges: Sequence[Edge]) -> Markup:
    """Return the edges as inline SVG; a long cycle is cut after the eighth transaction.

    Colours are CSS variables with a fallback; kinds also differ by dashes. The figure around it has the text
    alternative.
    """
    nodes = list(dict.fromkeys(node for source, _, target in edges for node in (source, target)))
    shown = nodes[:MOST]
    places = {node: _place(index, len(shown)) for index, node in enumerate(shown)}
    drawn = [edge for edge in edges if edge[0] in places and edge[2] in places]
    both = {(source, target) for source, _, target in drawn}
    parts = [_arrow(edge, places, (edge[2], edge[0]) in both) for edge in drawn]
    parts += [_node(node, places[node]) for node in shown]
    if len(nodes) > MOST:
        parts.append(_text(_WIDTH / 2, _HEIGHT / 2, f"and {len(nodes) - MOST} more", theme.MUTED))
    return Markup(
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
        f' aria-hidden="true" focusable="false">{"".join(parts)}</svg>'
    )


def _place(index: int, count: int) -> tuple[float, float]:
    angle = -math.pi / 2 + 2 * math.pi * index / count
    if count == 2:
        angle = math.pi + math.pi * index
    return (
        _WIDTH / 2 + (_WIDTH / 2 - 60) * math.cos(angle),
        _HEIGHT / 2 + (_HEIGHT / 2 - 30) * math.sin(angle),
    )


def _arrow(edge: Edge, places: dict[int, tuple[float, float]], bent: bool) -> str:
    """Draw a curve from node to node, with its head at the border and its label in the middle."""
    source, label, target = edge
    (x0, y0), (x2, y2) = places[source], places[target]
    kind = label.split(" ")[0]
    dx, dy = x2 - x0, y2 - y0
    length = math.hypot(dx, dy) or 1.0
    bow = 44.0 if bent else 14.0
    x1, y1 = (x0 + x2) / 2 - bow * dy / length, (y0 + y2) / 2 + bow * dx / length
    x0, y0 = _border(x0, y0, x1, y1)
    x2, y2 = _border(x2, y2, x1, y1)
    colour = _variable(_COLOURS.get(kind, theme.INK))
    dash = f' stroke-dasharray="{_DASHES[kind]}"' if _DASHES.get(kind) else ""
    path = f"M{x0:.1f} {y0:.1f}Q{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f}"
    middle = (x0 + 2 * x1 + x2) / 4, (y0 + 2 * y1 + y2) / 4
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>'
        + _head(x1, y1, x2, y2, colour)
        + _text(middle[0], middle[1] + (12 if y1 > (y0 + y2) / 2 else -7), label, theme.INK)
    )


def _head(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    ax, ay = x2 - 9 * ux, y2 - 9 * uy
    corners = (x2, y2), (ax - 4 * uy, ay + 4 * ux), (ax + 4 * uy, ay - 4 * ux)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def _border(x: float, y: float, to_x: float, to_y: float) -> tuple[float, float]:
    """Return the point where the line from a node's centre leaves its box."""
    dx, dy = to_x - x, to_y - y
    scale = max(abs(dx) / (_NODE_W / 2 + 3), abs(dy) / (_NODE_H / 2 + 3), 1e-9)
    return x + dx / scale, y + dy / scale


def _node(number: int, place: tuple[float, float]) -> str:
    x, y = place
    ink = _variable(theme.INK)
    return (
        f'<rect x="{x - _NODE_W / 2:.1f}" y="{y - _NODE_H / 2:.1f}" width="{_NODE_W}"'
        f' height="{_NODE_H}" rx="6" fill="none" stroke="{ink}"/>'
        + _text(x, y + 4.5, f"T{number}", theme.INK)
    )


def _text(x: float, y: float, words: str, colour: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" text-anchor="middle"'
        f' fill="{_variable(colour)}">{escape(words)}</text>'
    )


def _variable(colour: str) -> str:
    name = theme.VARIABLES.get(colour)
    return f"var({name},{colour})" if name else colour
