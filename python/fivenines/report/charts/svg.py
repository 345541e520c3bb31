"""From a Vega-Lite chart to a small SVG element that can stand in a page beside others."""

import re
from itertools import count

from markupsafe import Markup

from fivenines.report.charts.compact import compact
from fivenines.report.charts.drawing import Drawing
from fivenines.report.charts.kept_drawings import drawn
from fivenines.report.charts.live import coloured, specification

_numbers = count(1)


class Drawn(Markup):
    """Inline SVG that knows what it was drawn from; `spec` is JSON for the page's script."""

    spec: str


def to_svg(chart: Drawing) -> Drawn:
    """The chart as inline SVG: own ids, colours as CSS variables, hidden from screen readers.

    The text alternative is the business of the figure around it. `data-of` has the tag of the solution
    that a part belongs to.
    """
    shown = Drawn(_own_ids(coloured(compact(drawn(chart)))))
    shown.spec = specification(chart)
    return shown


def _own_ids(svg: str) -> str:
    prefix = f"c{next(_numbers)}-"
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", svg)
