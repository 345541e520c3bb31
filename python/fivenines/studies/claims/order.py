"""`order: {measure: tps, of: [one-safe, received, durable]}`: each is at least as good as the next."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, create_model

from fivenines.analysis.statistics.quotients import Quotient
from fivenines.studies.claims.base import ClaimTest
from fivenines.studies.claims.comparing import RatioClaim, compare_all
from fivenines.studies.claims.figures import Figures
from fivenines.studies.claims.pairs import divisors, named
from fivenines.studies.claims.places import Named, Sides
from fivenines.studies.claims.quantities import Share
from fivenines.studies.claims.verdicts import Atom

Relation = Literal[">=", ">", "<=", "<"]

if TYPE_CHECKING:
    OrderWords = ClaimTest
else:
    # The key is a Python keyword and cannot name an attribute.
    _IS = Field(">=", description="relation of each side to the next")
    OrderWords = create_model("OrderWords", __base__=ClaimTest, **{"is": (Relation, _IS)})


class Order(OrderWords):
    """Test whether several sides are in this order, by comparing each with the next.

    `>=` is shown by non-inferiority: the next is at most `margin` above. `>` and `<` require a difference and
    have no margin.
    """

    key: ClassVar[str] = "order"

    measure: str = Field(description="measure by its name, as tps or failover")
    of: Sides = Field(min_length=2, description="two or more sides, in order")
    margin: Share = Field(0.05, description="with >= and <=: permitted excess in the wrong direction")

    @property
    def relation(self) -> Relation:
        """Return the relation of each side to the next."""
        result: Relation = getattr(self, "is")
        return result

    def problems(self) -> list[str]:
        own = [f"of[{i}]: {text}" for i, side in enumerate(self.of) for text in side.problems()]
        return super().problems() + own + divisors(self.of)

    def named(self) -> Iterator[Named]:
        yield from super().named()
        yield from named(("of",), self.of, self.part)

    def atoms(self, figures: Figures) -> list[Atom]:
        return compare_all(self, figures, self.measure, list(pairwise(self.of)), self._claim())

    def _claim(self) -> RatioClaim:
        if self.relation in (">", "<"):
            words = "more was claimed" if self.relation == ">" else "less was claimed"
            return RatioClaim(words, self._strictly, *((1, None) if self.relation == ">" else (None, 1)))
        most, share = 1 + self.margin, f"{100 * self.margin:g} %"
        if self.relation == ">=":
            words = f"at least as much was claimed (but for {share})"
            return RatioClaim(words, self._nearly, at_least=1 / most)
        words = f"at most as much was claimed (but for {share})"
        return RatioClaim(words, self._nearly, at_most=most)

    def _strictly(self, ratio: Quotient, level: float) -> bool | None:
        return (ratio if self.relation == ">" else ratio.inverse()).more_than(1, level)

    def _nearly(self, ratio: Quotient, level: float) -> bool | None:
        other = ratio.inverse() if self.relation == ">=" else ratio
        return other.not_more_than(1 + self.margin, level)
