"""Distributions of lengths of time, as a user writes them.

    fixed 1500ms
    uniform 1s..5s
    exponential 3s          3 s is the mean
    lognormal 2s..8s        the middle 90 % of lengths are between 2 and 8 s
    one of 1.5s, 2s, 7s     each as likely as the others

The others are represented by 1,000 lengths of equal probability, so that their tails end somewhere.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from statistics import NormalDist

from fivenines.base.spelling import nearest
from fivenines.base.units import parse_duration

_ONE_OF = re.compile(r"one\s+of\s+(?P<values>\S.*)")

# Number of lengths that represent a distribution.
NUMBER = 1000

# Share of lengths between the two values of a lognormal distribution.
_MIDDLE = 0.9


def _lognormal(share: float, low: float, high: float) -> float:
    """Return a quantile of the distribution whose middle 90 % are between `low` and `high`."""
    normal = NormalDist()
    sigma = math.log(high / low) / (2 * normal.inv_cdf((1 + _MIDDLE) / 2))
    return math.exp(math.log(low * high) / 2 + sigma * normal.inv_cdf(share))


# The distributions: number of values, and the quantile at a share (the second value is 0 without `..`).
_SHAPES: dict[str, tuple[int, Callable[[float, float, float], float]]] = {
    "fixed": (1, lambda _share, low, _high: low),
    "exponential": (1, lambda share, low, _high: -low * math.log1p(-share)),
    "uniform": (2, lambda share, low, high: low + (high - low) * share),
    "lognormal": (2, _lognormal),
}


@dataclass(frozen=True)
class Lengths:
    """Lengths in seconds, of equal probability, ascending, and the text that describes them."""

    seconds: tuple[float, ...]
    text: str

    @property
    def longest(self) -> float:
        """Return the longest length in seconds."""
        return self.seconds[-1]

    def drawn(self, random: Random) -> float:
        """Return a random length, in seconds, to the millisecond and at least one."""
        return max(0.001, round(random.choice(self.seconds), 3))


@lru_cache(maxsize=64)
def parse_lengths(text: str) -> Lengths:
    """Parse a distribution.

    Raises:
        ValueError: the text is none; the message says what to write instead.
    """
    if match := _ONE_OF.fullmatch(text.strip()):
        return Lengths(tuple(sorted(map(_length, match["values"].split(",")))), text.strip())
    shape, _, values = text.strip().partition(" ")
    if shape not in _SHAPES:
        raise ValueError(
            f"{text!r}: {shape!r} is not a distribution{nearest(shape, list(_SHAPES))}"
            f"\n    allowed: {', '.join(_SHAPES)}, one of"
        )
    count, quantile = _SHAPES[shape]
    first, dots, second = values.strip().partition("..")
    if bool(dots) != (count > 1) or not first.strip() or (dots and not second.strip()):
        raise ValueError(f"{text!r}: write {shape} {'2s..8s' if count > 1 else '3s'}")
    low = _length(first)
    high = _length(second) if dots else 0.0
    if dots and high <= low:
        raise ValueError(f"{text!r}: write the shorter length first")
    shares = ((index + 0.5) / NUMBER for index in range(NUMBER))
    return Lengths(tuple(quantile(share, low, high) for share in shares), text.strip())


def _length(text: str) -> float:
    """Return a length in seconds, above 0."""
    seconds = parse_duration(text.strip())
    if seconds <= 0:
        raise ValueError(f"{text.strip()!r} is not a length: write one above 0")
    return seconds
