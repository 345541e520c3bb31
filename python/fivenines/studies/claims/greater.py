"""`greater: {measure: tps, a: relaxed, b: strict, by: 1.1}`: a is more than `by` times b."""

from itertools import product
from typing import ClassVar

from pydantic import Field

from fivenines.studies.claims.comparing import RatioClaim, compare_all
from fivenines.studies.claims.figures import Figures
from fivenines.studies.claims.pairs import PairTest
from fivenines.studies.claims.places import Sides
from fivenines.studies.claims.verdicts import Atom


class Greater(PairTest):
    """Test whether a is more than `by` times b.

    The test holds if the whole interval of the ratio of the means is above `by`, and is contradicted if it is
    below (Welch, Fieller). With lower bounds among a's values it can hold; with those among b's, it can be
    contradicted.
    """

    key: ClassVar[str] = "greater"

    b: Sides = Field(min_length=1, description="a side or several to compare with, each with each")
    by: float = Field(1.0, gt=0, description="factor: a is more than this many times b")

    def atoms(self, figures: Figures) -> list[Atom]:
        words = "more was claimed" if self.by == 1 else f"at least {self.by:g} was claimed"
        claim = RatioClaim(words, lambda ratio, level: ratio.more_than(self.by, level), at_least=self.by)
        return compare_all(self, figures, self.measure, list(product(self.a, self.b)), claim)
