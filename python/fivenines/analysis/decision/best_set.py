"""Set of candidates that may be the best: all that the data cannot exclude.

A candidate is excluded if another one is better by more than a margin, and by an interval whose level allows
for the number of comparisons (Bonferroni). A difference too small to matter is no reason to choose. The true
best is then in the set with more than the requested confidence, as it is excluded only if one of k - 1
intervals is wrong on one side. Without a margin, one of two candidates is excluded exactly when the report's
interval of their difference shows it. Others may be in the set as well: it means "not shown to differ", never
"equal".

Sources: selection of a subset that contains the best: Gupta, Technometrics 7 (1965) 225; comparisons with the
best: Hsu, Multiple Comparisons (1996), ch. 4; unequal variances by Welch's intervals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.analysis.statistics.means import CONFIDENCE, Difference

# Compares the first with the second, with intervals of this level; None if they are not comparable.
Against = Callable[[str, str, float], Difference | None]


@dataclass(frozen=True)
class BestSet:
    """`kept` may be the best, in their original order; `out`: the better candidate, and the comparison."""

    kept: list[str]
    out: dict[str, tuple[str, Difference]]


def best_set(
    names: Sequence[str], against: Against, *, more: bool, confidence: float = CONFIDENCE, margin: float = 0.0
) -> BestSet:
    """Return the candidates without a shown better one. A candidate without comparisons stays.

    Args:
        names: the candidates.
        against: compares two of them.
        more: whether a larger value is better.
        confidence: confidence that the best is in the set.
        margin: smallest ratio of a difference that counts, as 0.05.
    """
    level = 1 - (1 - confidence) / max(1, len(names) - 1)
    out: dict[str, tuple[str, Difference]] = {}
    for name in names:
        for other in names:
            result = against(other, name, level) if other != name else None
            if result is not None and _better(result, more, margin):
                known = out.get(name)
                if known is None or _further(result, known[1], more):
                    out[name] = (other, result)
    kept = [name for name in names if name not in out]
    return BestSet(kept, out) if kept else BestSet(list(names), {})


def _better(difference: Difference, more: bool, margin: float) -> bool:
    end = difference.low if more else difference.high
    if end is None or (end <= 0 if more else end >= 0):
        return False
    if not margin or difference.low == difference.high:
        # A number without a spread, such as a number of hosts, differs or does not.
        return True
    ratio = difference.ratio_low if more else difference.ratio_high
    if ratio is None:
        # The mean of one side is near 0: the difference is far beyond any margin, or its ratio is unknown.
        return True
    return ratio >= 1 + margin if more else ratio <= 1 / (1 + margin)


def _further(a: Difference, b: Difference, more: bool) -> bool:
    sign = 1 if more else -1
    return sign * (a.absolute or 0.0) > sign * (b.absolute or 0.0)
