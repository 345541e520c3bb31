"""`choice: {solution: tuned, in: ["0"]}`: the best variant of a sweep."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field, create_model

from fivenines.analysis.statistics.peaks import may_be_best
from fivenines.analysis.wording import listed
from fivenines.studies.claims.base import Asked, ClaimTest
from fivenines.studies.claims.figures import Figures, Variants
from fivenines.studies.claims.judging import Question, absent, answer, mean_text
from fivenines.studies.claims.peak import all_or_none
from fivenines.studies.claims.places import Names, Spot, spots
from fivenines.studies.claims.verdicts import Atom, Figure

if TYPE_CHECKING:
    ChoiceWords = ClaimTest
else:
    # The key is a Python keyword and cannot name an attribute.
    _IN = Field(min_length=1, description="variants of the sweep, of which the best is one")
    ChoiceWords = create_model("ChoiceWords", __base__=ClaimTest, **{"in": (Names, _IN)})


class Choice(ChoiceWords):
    """Test whether the best variant of a sweep (`solution`) is among the named ones.

    The candidates are the variants that are not shown to differ from the best. The test holds if all
    candidates are named, and is contradicted if none is.
    """

    key: ClassVar[str] = "choice"

    @property
    def claimed(self) -> list[str]:
        """Return the variants of which the best is claimed to be one."""
        result: list[str] = getattr(self, "in")
        return result

    @property
    def words(self) -> str:
        """Return the claim in words."""
        return f"{listed(self.claimed, 'or')} was claimed"

    def problems(self) -> list[str]:
        return super().problems() + ([] if self.solution else ["solution: write the name of the sweep"])

    def measures(self) -> Iterator[Asked]:
        """Yield no measure: the sweep defines it."""
        return iter(())

    def atoms(self, figures: Figures) -> list[Atom]:
        return [self._atom(spot, figures) for spot in spots(self, figures)]

    def _atom(self, spot: Spot, figures: Figures) -> Atom:
        if spot.missing:
            return absent(spot.about, self.words, spot.missing)
        variants = figures.variants(spot.place)
        if variants.unavailable:
            return absent(spot.about, self.words, variants.unavailable, "unavailable")
        if len(variants.samples) < 2:
            why = variants.missing or "the sweep has fewer than two variants"
            return absent(spot.about, self.words, why)
        return answer(self._question(variants, spot))

    def _question(self, variants: Variants, spot: Spot) -> Question:
        samples = {name: sample.summary for name, sample in variants.samples.items()}

        def best(level: float) -> list[str]:
            return may_be_best(samples, more=variants.more, confidence=level)

        def decided(level: float) -> bool | None:
            return all_or_none([name in self.claimed for name in best(level)])

        members = best(0.95)
        means = [
            f"{mean_text(variants.measure, sample)} with {name}"
            for name, sample in samples.items()
            if sample.mean is not None
        ]
        taken = f", and the sweep chose {variants.chosen}" if variants.chosen else ""
        seen = f"{variants.measure} is {listed(means)}: the best is {listed(members, 'or')}{taken}"
        used = [
            Figure(name, variants.measure, spot.place, sample) for name, sample in variants.samples.items()
        ]
        return Question(
            used,
            spot.about,
            self.words,
            seen if means else "",
            decided,
            members=members,
            overlap="they are not shown to differ",
        )
