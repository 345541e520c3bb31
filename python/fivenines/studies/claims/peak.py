"""`peak: {measure: tps, over: connections, in: [16, 64]}`: the place of a measure's maximum along an axis."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, create_model

from fivenines.analysis.statistics.peaks import may_be_best
from fivenines.analysis.wording import listed
from fivenines.studies.claims.along import Along, Row
from fivenines.studies.claims.judging import Question
from fivenines.studies.claims.places import Names

if TYPE_CHECKING:
    PeakWords = Along
else:
    # The key is a Python keyword and cannot name an attribute.
    _IN = Field(min_length=1, description="[FROM, TO] of an axis of numbers; else the names of levels")
    PeakWords = create_model("PeakWords", __base__=Along, **{"in": (Names, _IN)})


class Peak(PeakWords):
    """Test whether a measure is best within a range of an axis.

    The candidates are the levels that are not shown to differ from the best (Hsu). The test holds if all
    candidates are in the range, and is contradicted if none is.
    """

    key: ClassVar[str] = "peak"

    best: Literal["highest", "lowest"] = Field("highest", description="which value is the best")

    @property
    def range(self) -> list[str]:
        """Return the claimed range of the best level."""
        result: list[str] = getattr(self, "in")
        return result

    @property
    def words(self) -> str:
        where = " to ".join(self.range) if len(self.range) == 2 else listed(self.range, "or")
        return f"the {self.best} was claimed at {where}"

    @property
    def fewest(self) -> int:
        return 2

    def question(self, row: Row, about: str) -> Question:
        samples = {
            level.name: figure.sample.judged for level, figure in zip(row.levels, row.figures, strict=True)
        }
        inside = self._inside(row)

        def best(level: float) -> list[str]:
            return may_be_best(samples, more=self.best == "highest", confidence=level)

        def decided(level: float) -> bool | None:
            return all_or_none([inside[name] for name in best(level)])

        members = best(0.95)
        text = row.text(self.measure, about)
        seen = f"{text}: the {self.best} is at {listed(members, 'or')}" if text else ""
        return Question(
            row.figures,
            about,
            self.words,
            seen,
            decided,
            members=members,
            overlap="they are not shown to differ",
        )

    def _inside(self, row: Row) -> Mapping[str, bool]:
        """Return which levels are in the range."""
        ends = _ends(self.range) if row.numbers is not None else None
        if ends is None:
            return {level.name: level.name in self.range for level in row.levels}
        return {item.name: ends[0] <= (item.number or 0.0) <= ends[1] for item in row.levels}


def all_or_none(inside: list[bool]) -> bool | None:
    """Return True if all members are inside, False if none is, and None otherwise."""
    return True if all(inside) else None if any(inside) else False


def _ends(names: list[str]) -> tuple[float, float] | None:
    """Return a range of two numbers; one alone is a range of itself."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return None
    return (numbers[0], numbers[-1]) if len(numbers) < 3 else None
