"""`same: {measure: tps, a: drbd-a, b: drbd-c, within: 10%}`: neither exceeds the other by more than a
margin.
"""

from itertools import combinations, product
from typing import ClassVar

from pydantic import Field

from fivenines.analysis.statistics.equivalence import same
from fivenines.studies.claims.comparing import RatioClaim, compare_all
from fivenines.studies.claims.figures import Figures
from fivenines.studies.claims.pairs import PairTest
from fivenines.studies.claims.quantities import Share
from fivenines.studies.claims.verdicts import Atom


class Same(PairTest):
    """Test whether neither of a and b exceeds the other by more than `within`. Without b: all pairs of a.

    The test holds if the whole interval of the ratio lies within the margin (two one-sided tests), and is
    contradicted if it lies outside. A missing difference never counts.
    """

    key: ClassVar[str] = "same"

    within: Share = Field(0.1, gt=0, description="permitted excess of the larger side")

    def problems(self) -> list[str]:
        alone = not self.b and len(self.a) < 2
        return super().problems() + (["b: write with what a is compared"] if alone else [])

    def atoms(self, figures: Figures) -> list[Atom]:
        pairs = product(self.a, self.b) if self.b else combinations(self.a, 2)
        most = 1 + self.within
        claim = RatioClaim(
            f"the same within {100 * self.within:g} % was claimed",
            lambda ratio, level: same(ratio, self.within, level),
            1 / most,
            most,
        )
        return compare_all(self, figures, self.measure, list(pairs), claim)
