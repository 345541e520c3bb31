"""Percentages of transaction types, written as text joined by commas."""

import math
from collections.abc import Sequence


def share_problem(text: str, names: Sequence[str]) -> str | None:
    """Return the problem of percentages for `names`, or None; they must sum to 100."""
    order = ", ".join(names)
    try:
        shares = [float(part) for part in text.split(",")]
    except ValueError:
        shares = []
    if len(shares) != len(names):
        return f"write {len(names)} percentages separated by commas ({order}), not {text!r}"
    return sum_problem(shares)


def sum_problem(shares: Sequence[float]) -> str | None:
    """Return the problem of percentages that must sum to 100, or None."""
    if not all(math.isfinite(share) and share >= 0 for share in shares):
        return "a percentage must be a number from 0 to 100"
    total = math.fsum(shares)
    if not math.isclose(total, 100, abs_tol=1e-6):
        return f"the percentages must sum to 100, but their sum is {total:g}"
    return None
