"""Equivalence of two means within a margin, shown by an interval and never by a missing difference.

Two one-sided tests: a is not more than m above b, and b is not more than m above a. Both are shown when the
whole interval of the ratio lies between 1 / (1 + m) and 1 + m, for either order of the two. With a 95 %
interval each test has an error of 2.5 %, and so have both together, as both must be shown (an
intersection-union test needs no correction). The usual form uses a 90 % interval; this stricter form agrees
with the interval that reports show.

Sources: Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15 (1987) 657 (two one-sided tests); Berger and
Hsu, Statistical Science 11 (1996) 283 (intersection-union, and intervals for it); of the ratio by Fieller:
Hauschke, Steinijans and Pigeot, Bioequivalence Studies in Drug Development, 2007.
"""

from fivenines.analysis.statistics.means import CONFIDENCE
from fivenines.analysis.statistics.quotients import Quotient


def same(quotient: Quotient, margin: float, confidence: float = CONFIDENCE) -> bool | None:
    """Return whether the larger mean is at most `margin` (0.1: 10 %) above the other; None: inconclusive.

    Lower bounds among the values can show that it is not, and never that it is.
    """
    both = {item.not_more_than(1 + margin, confidence) for item in (quotient, quotient.inverse())}
    if False in both:
        return False
    return True if both == {True} else None
