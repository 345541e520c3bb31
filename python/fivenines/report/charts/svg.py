"""Convert Vega-Lite charts to small SVG elements for a page."""

import re
from collections.abc import Sequence
from itertools import count

import vl_convert
from markupsafe import Markup

from fivenines.report.charts.compact import Tip, compact
from fivenines.report.charts.drawing import Drawing
from fivenines.report.charts.drawing_cache import drawn
from fivenines.report.charts.live import coloured
from fivenines.report.charts.tips import described

_numbers = count(1)


class Drawn(Markup):
    """Inline SVG; `tips` are the texts of its marks for the page's script, `id` is that of the element."""

    tips: Sequence[Tip]
    id: str


def to_svg(chart: Drawing) -> Drawn:
    """Return the chart as inline SVG: unique ids, colours as CSS variables, hidden from screen readers.

    The figure around it has the text alternative. `data-of` is the tag of the solution of a part.
    """
    small = drawn(described(chart))
    own = f"c{next(_numbers)}"
    shown = Drawn(_unique_ids(coloured(small.svg), own))
    shown.tips, shown.id = small.tips, own
    return shown


def to_file(chart: Drawing) -> str:
    """Return the chart as the content of an SVG file."""
    return coloured(compact(vl_convert.vegalite_to_svg(chart), file=True).svg, file=True)


def _unique_ids(svg: str, own: str) -> str:
    svg = re.sub(r"\bid=([\w-]+)", rf"id={own}-\1", svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{own}-\1)", svg)
    return svg.replace("<svg", f"<svg id={own}", 1)
