"""Shorten SVGs: a report of many trials has tens of thousands of marks."""

import re

_LONG = re.compile(r"-?\d+\.\d{2,}")
_EMPTY_PATH = re.compile(r'<path class="(?:background|foreground)"[^>]*(?: d=""|h0v0h0Z")[^>]*/>')
_ATTRIBUTE = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
_BACKGROUND = re.compile(r'<rect width="[\d.]+" height="[\d.]+" fill="transparent"/>')
_NOISE = re.compile(
    r' (?:class="[^"]*"|aria-[a-z]+="[^"]*"|role="[^"]*"|pointer-events="none"|opacity="1"'
    r'|xmlns:xlink="[^"]*"|version="1.1"|stroke-miterlimit="10")'
)
_OF = re.compile(r'class="[^"]*\bof_(\w+?)_\d+_[^"]*"')
_CIRCLE = re.compile(
    r'<path transform="translate\((?P<x>[-\d.]+),(?P<y>[-\d.]+)\)" d="M(?P<r>[\d.]+),0A(?P=r),(?P=r),0,1,1,'
    r'-(?P=r),0A(?P=r),(?P=r),0,1,1,(?P=r),0Z?"'
)
_STRAIGHT = re.compile(r' d="(?P<steps>M-?[\d.]+,-?[\d.]+(?:L-?[\d.]+,-?[\d.]+)+)(?P<end>Z?)"')


def compact(svg: str) -> str:
    """Return the same picture in fewer bytes, without styles that the page has and invisible digits."""
    svg = _BACKGROUND.sub("", svg, count=1)
    svg = _OF.sub(r'data-of="\1"', svg)
    svg = _EMPTY_PATH.sub("", svg)
    svg = _NOISE.sub("", svg)
    svg = _ATTRIBUTE.sub(lambda match: _LONG.sub(_short, match[0]), svg)
    svg = _CIRCLE.sub(_circle, svg)
    svg = _STRAIGHT.sub(_steps, svg)
    svg = re.sub(r'font-family="[^"]*"', "", svg)
    svg = re.sub(r"<g>\s*</g>", "", svg)
    return svg.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)


def _short(match: re.Match[str]) -> str:
    """Round to one decimal, a tenth of a pixel."""
    return f"{float(match[0]):.1f}".removesuffix(".0")


def _circle(match: re.Match[str]) -> str:
    return f'<circle cx="{match["x"]}" cy="{match["y"]}" r="{match["r"]}"'


def _steps(match: re.Match[str]) -> str:
    """Return a path of straight lines, with one number for each horizontal or vertical line."""
    first, *rest = match["steps"][1:].split("L")
    x, y = first.split(",")
    steps = [f"M{x},{y}"]
    for step in rest:
        to_x, to_y = step.split(",")
        if to_y == y:
            steps.append(f"H{to_x}")
        elif to_x == x:
            steps.append(f"V{to_y}")
        else:
            steps.append(f"L{to_x},{to_y}")
        x, y = to_x, to_y
    return f' d="{"".join(steps)}{match["end"]}"'
