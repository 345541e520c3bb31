"""Set of means that may be the largest: those that are not shown to differ from the best.

The true best is in the set with at least the requested confidence. Others may be in it as well: the set means
"not shown to differ", never "equal".

Sources: Gupta, Technometrics 7 (1965) 225; Hsu, Multiple Comparisons, 1996, ch. 4 (comparisons with the
best); unequal variances by Welch's intervals with Bonferroni's level, see `decision.best_set`.
"""

from collections.abc import Mapping

from fivenines.analysis.decision.best_set import best_set
from fivenines.analysis.statistics.means import Difference, Summary, at_confidence, compare
from fivenines.analysis.statistics.sides import too_equal


def may_be_best(samples: Mapping[str, Summary], *, more: bool, confidence: float) -> list[str]:
    """Return the samples that may be the best, in their order; one without any comparison stays.

    Args:
        samples: by name.
        more: whether the largest is the best.
        confidence: that the best is among them.
    """

    def against(a: str, b: str, level: float) -> Difference | None:
        found = compare(*(at_confidence(samples[name], level) for name in (a, b)))
        return None if too_equal(found) else found

    return best_set(list(samples), against, more=more, confidence=confidence).kept
