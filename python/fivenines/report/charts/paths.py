"""Write paths of straight lines with relative steps, which need the fewest digits."""

import re
from itertools import pairwise

_NUMBER = r"-?\d+(?:\.\d)?"
_STRAIGHT = re.compile(rf"(M{_NUMBER},{_NUMBER}(?:L{_NUMBER},{_NUMBER}|[HV]{_NUMBER})+)(Z?)")
_STEP = re.compile(rf"([LHV])({_NUMBER})(?:,({_NUMBER}))?")
_START = re.compile(rf"M({_NUMBER}),({_NUMBER})")


def straight(path: str) -> str:
    """Return the same path, shorter if it is one of straight lines with at most one decimal."""
    match = _STRAIGHT.fullmatch(path)
    start = _START.match(path)
    if match is None or start is None:
        return path
    # in tenths, so that sums of steps are exact
    points = [(_tenths(start[1]), _tenths(start[2]))]
    for letter, first, second in _STEP.findall(match[1]):
        x, y = points[-1]
        across, upright = letter != "V", letter != "H"
        points.append((_tenths(first) if across else x, _tenths(second or first) if upright else y))
    steps = "".join(_step(x - from_x, y - from_y) for (from_x, from_y), (x, y) in pairwise(points))
    return f"M{_written(points[0][0])},{_written(points[0][1])}{steps}{match[2]}"


def _step(x: int, y: int) -> str:
    if not y:
        return f"h{_written(x)}" if x else ""
    if not x:
        return f"v{_written(y)}"
    return f"l{_written(x)}{'' if y < 0 else ','}{_written(y)}"


def _tenths(text: str) -> int:
    return round(float(text) * 10)


def _written(tenths: int) -> str:
    whole, rest = divmod(abs(tenths), 10)
    text = f"{whole or ''}.{rest}" if rest else str(whole)
    return f"-{text}" if tenths < 0 else text
