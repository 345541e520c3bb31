"""Write paths of straight lines with relative steps, which need the fewest digits."""

import re

_NUMBER = r"-?\d+(?:\.\d)?"
_STRAIGHT = re.compile(rf"(?:M{_NUMBER},{_NUMBER}(?:L{_NUMBER},{_NUMBER}|[HV]{_NUMBER})+Z?)+")
_STEP = re.compile(rf"([MLHVZ])(?:({_NUMBER})(?:,({_NUMBER}))?)?")


def straight(path: str) -> str:
    """Return the same path, shorter if it consists of straight lines with at most one decimal."""
    if not _STRAIGHT.fullmatch(path):
        return path
    found: list[str] = []
    x = y = across = upright = 0  # in tenths, so that sums of steps are exact
    for letter, first, second in _STEP.findall(path):
        to_x = _tenths(first) if letter in "MLH" else x
        to_y = _tenths(second or first) if letter in "MLV" else y
        step = (to_x - x, to_y - y)
        # Steps in one direction along an axis are one.
        if letter in "MZ" or not _continues((across, upright), step):
            found += [_step(across, upright)]
            across = upright = 0
        if letter in "MZ":
            found += [f"M{_written(to_x)},{_written(to_y)}" if letter == "M" else "Z"]
        else:
            across, upright = across + step[0], upright + step[1]
        x, y = to_x, to_y
    return min("".join([*found, _step(across, upright)]), path, key=len)


def _continues(before: tuple[int, int], step: tuple[int, int]) -> bool:
    """Return whether a step goes on along the same axis in the same direction."""
    return any(
        before[along] * step[along] >= 0 and before[1 - along] == step[1 - along] == 0 for along in (0, 1)
    )


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
