"""From a Vega-Lite chart to a small SVG element that can stand in a page beside others."""

import re
from itertools import count

import vl_convert
from markupsafe import Markup

from fivenines.report.charts.drawing import Drawing
from fivenines.report.charts.live import coloured, specification

_LONG = re.compile(r"-?\d+\.\d{2,}")
_EMPTY_PATH = re.compile(r'<path class="(?:background|foreground)"[^>]*(?: d=""|h0v0h0Z")[^>]*/>')
_ATTRIBUTE = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
_BACKGROUND = re.compile(r'<rect width="[\d.]+" height="[\d.]+" fill="transparent"/>')
_NOISE = re.compile(
    r' (?:class="[^"]*"|aria-[a-z]+="[^"]*"|role="[^"]*"|pointer-events="none"|opacity="1"'
    r'|xmlns:xlink="[^"]*"|version="1.1"|stroke-miterlimit="10")'
)
_OF = re.compile(r'class="[^"]*\bof_(\w+?)_\d+_[^"]*"')
_numbers = count(1)


class Drawn(Markup):
    """Inline SVG that knows what it was drawn from; `spec` is JSON for the page's script."""

    spec: str


def to_svg(chart: Drawing) -> Drawn:
    """The chart as inline SVG: own ids, colours as CSS variables, hidden from screen readers.

    The text alternative is the business of the figure around it. `data-of` has the tag of the solution
    that a part belongs to.
    """
    svg = vl_convert.vegalite_to_svg(chart)
    drawn = Drawn(_own_ids(coloured(_compact(svg))))
    drawn.spec = specification(chart)
    return drawn


def _compact(svg: str) -> str:
    svg = _BACKGROUND.sub("", svg, count=1)
    svg = _OF.sub(r'data-of="\1"', svg)
    svg = _EMPTY_PATH.sub("", svg)
    svg = _NOISE.sub("", svg)
    svg = _ATTRIBUTE.sub(lambda match: _LONG.sub(_short, match[0]), svg)
    svg = re.sub(r'font-family="[^"]*"', "", svg)
    svg = re.sub(r"<g>\s*</g>", "", svg)
    return svg.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)


def _short(match: re.Match[str]) -> str:
    """One decimal is a tenth of a pixel."""
    return f"{float(match[0]):.1f}".removesuffix(".0")


def _own_ids(svg: str) -> str:
    prefix = f"c{next(_numbers)}-"
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", svg)
