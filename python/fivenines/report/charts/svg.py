"""Convert Vega-Lite charts to small SVG elements for a page."""

import re
from itertools import count

from markupsafe import Markup

from fivenines.report.charts.compact import compact
from fivenines.report.charts.drawing import Drawing
from fivenines.report.charts.drawing_cache import drawn
from fivenines.report.charts.live import coloured, specification

_numbers = count(1)


class Drawn(Markup):
    """Inline SVG with its specification; `spec` is JSON for the page's script."""

    spec: str


def to_svg(chart: Drawing) -> Drawn:
    """Return the chart as inline SVG: unique ids, colours as CSS variables, hidden from screen readers.

    The figure around it has the text alternative. `data-of` is the tag of the solution of a part.
    """
    shown = Drawn(_unique_ids(coloured(compact(drawn(chart)))))
    shown.spec = specification(chart)
    return shown


def _unique_ids(svg: str) -> str:
    prefix = f"c{next(_numbers)}-"
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", svg)
