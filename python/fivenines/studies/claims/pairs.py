"""Base class of tests that compare two sides."""

from collections.abc import Iterator

from pydantic import Field

from fivenines.studies.claims.base import ClaimTest
from fivenines.studies.claims.places import Named, Side, Sides


def divisors(sides: list[Side]) -> list[str]:
    """Return the mistakes in divisors: all sides must have one, or none."""
    if len({side.over is None for side in sides}) > 1:
        return ["one side is a ratio (`over`) and another is not: write it on all or on none"]
    return []


def named(path: tuple[str | int, ...], sides: list[Side], part: str | None) -> Iterator[Named]:
    """Yield all names in a list of sides."""
    for index, side in enumerate(sides):
        yield from side.named((*path, index), part)


class PairTest(ClaimTest):
    """A test that compares a measure of two sides, or of each side in a list with each in another."""

    measure: str = Field(description="measure by its name, as tps or outage_writes")
    a: Sides = Field(min_length=1, description="a side or several: solutions, or other places")
    b: Sides = Field(default_factory=list, description="a side or several to compare with, each with each")

    def problems(self) -> list[str]:
        own = [
            f"{name}[{index}]: {text}"
            for name in ("a", "b")
            for index, side in enumerate(getattr(self, name))
            for text in side.problems()
        ]
        return super().problems() + own + divisors([*self.a, *self.b])

    def named(self) -> Iterator[Named]:
        yield from super().named()
        yield from named(("a",), self.a, self.part)
        yield from named(("b",), self.b, self.part)
