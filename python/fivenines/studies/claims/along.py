"""Base class of tests along an axis: its levels with their samples."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from fivenines.analysis.wording import count, listed
from fivenines.studies.claims.base import ClaimTest
from fivenines.studies.claims.figures import Figures, Level, Place
from fivenines.studies.claims.judging import Question, absent, answer, mean_text
from fivenines.studies.claims.places import Named, Spot, called, spots
from fivenines.studies.claims.verdicts import Atom, Figure
from fivenines.studies.measures import subject


@dataclass(frozen=True)
class Row:
    """The levels of an axis in their order, each with its sample."""

    levels: Sequence[Level]
    figures: Sequence[Figure]

    @property
    def numbers(self) -> list[float] | None:
        """Return the levels as numbers; None if a level is not a number."""
        result = [level.number for level in self.levels if level.number is not None]
        return result if len(result) == len(self.levels) else None

    def text(self, measure: str, about: str) -> str:
        """Return the means: "Transactions per second: 81 at 1, 219 at 4 and 352 at 8"."""
        means = [
            f"{mean_text(measure, figure.sample.summary)} at {level.name}"
            for level, figure in zip(self.levels, self.figures, strict=True)
            if figure.sample.summary.mean is not None
        ]
        return f"{subject(measure, about)}: {listed(means)}" if means else ""


class Along(ClaimTest):
    """A test of a measure at all levels of an axis."""

    measure: str = Field(description="measure by its name, as tps or latency_mean")
    over: str = Field(description="the axis: connections, rtt, rate, workload, ...")

    @property
    @abstractmethod
    def words(self) -> str:
        """Return the claim in words: "rises was claimed"."""

    @property
    @abstractmethod
    def fewest(self) -> int:
        """Return the minimum number of levels."""

    @abstractmethod
    def question(self, row: Row, about: str) -> Question:
        """Return the question about the samples along the axis; some may be empty."""

    def unfit(self, row: Row) -> str:
        """Return why these levels cannot be used; empty: they can."""
        return ""

    def problems(self) -> list[str]:
        twice = self.over in self.for_each
        return super().problems() + ([f"for_each: it goes over {self.over} already"] if twice else [])

    def named(self) -> Iterator[Named]:
        yield from super().named()
        yield Named(("over",), "axis", self.over, self.part)

    def atoms(self, figures: Figures) -> list[Atom]:
        return [self._atom(spot, figures) for spot in spots(self, figures, without=[self.over])]

    def _atom(self, spot: Spot, figures: Figures) -> Atom:
        if spot.missing:
            return absent(spot.about, self.words, spot.missing)
        levels = self._levels(figures, spot.place)
        samples = [
            Figure(called(self.over, level.name), self.measure, place, figures.sample(self.measure, place))
            for level in levels
            for place in [spot.place.at(self.over, level)]
        ]
        row = Row(levels, samples)
        few = f"{self.over} has {count(len(levels), 'level')}; the test requires {self.fewest}"
        unfit = few if len(levels) < self.fewest else self.unfit(row)
        if unfit:
            return absent(spot.about, self.words, unfit, "levels" if levels else "missing")
        return answer(self.question(row, spot.about))

    def _levels(self, figures: Figures, place: Place) -> list[Level]:
        """Return the levels that the test names, or else all, in order."""
        existing = list(figures.levels(self.over, place))
        expected = self.listed().get(self.over)
        if expected is None:
            return existing
        known = {item.name: item for item in existing}
        return [known.get(name, Level(name, _number(name))) for name in expected]


def _number(name: str) -> float | None:
    try:
        return float(name)
    except ValueError:
        return None
