"""Rounding of a mean by its interval: uncertain digits are not printed.

Source of the rule: Particle Data Group, Review of Particle Physics, Introduction 5.3 (Rounding): if the first
digits of the uncertainty lie between 100 and 354, two digits of it are kept; from 355 on one.
"""

import math
from dataclasses import dataclass

# An uncertainty whose first digits are below this keeps two of them, else one.
_TWO_DIGITS = 3.55

# No mean is printed with more significant digits than these.
_MOST = 3


@dataclass(frozen=True)
class Rounding:
    """Decimal place to which related figures are rounded: 100, 10, 1, 0.1 and so on."""

    exponent: int

    def text(self, value: float) -> str:
        """Return the value with as many digits as it bears: "1 300", "0.40"; 0 is "0"."""
        rounded = round(value, -self.exponent)
        return f"{rounded:,.{max(0, -self.exponent)}f}" if rounded else "0"


def rounding(mean: float, low: float, high: float) -> Rounding | None:
    """Return where to round a mean and the ends of its interval; None where the interval has no width."""
    half = (high - low) / 2
    if not (half > 0 and math.isfinite(half) and math.isfinite(mean)):
        return None
    exponent = math.floor(math.log10(half))
    if half / 10**exponent < _TWO_DIGITS:
        exponent -= 1
    if mean:
        size = math.floor(math.log10(abs(mean)))
        # Print at least one digit of a mean that is small relative to its interval, and at most three
        # otherwise.
        exponent = min(size, max(exponent, min(0, size - _MOST + 1)))
    return Rounding(exponent)
