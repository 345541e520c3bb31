"""What all tests of claims share: a test asks for figures, and answers with a verdict."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal

from fivenines.studies.claims.figures import Figures
from fivenines.studies.claims.places import Placed
from fivenines.studies.claims.verdicts import Atom, Verdict, verdict

# Where a measure is named in a test, its name, and what is asked of it.
Asked = tuple[tuple[str | int, ...], str, Literal["values", "events"]]


class ClaimTest(Placed):
    """A kind of test. A file of this package that defines one is found by its `key`."""

    # What it is called in a study: `test: {KEY: {...}}`.
    key: ClassVar[str]

    @abstractmethod
    def atoms(self, figures: Figures) -> list[Atom]:
        """Return each comparison that it asks for."""

    def parts(self, figures: Figures) -> list[Atom | Verdict]:
        """Return what its verdict is made of."""
        return list(self.atoms(figures))

    def judge(self, figures: Figures) -> Verdict:
        """Return the verdict: it holds if each of its comparisons does."""
        return verdict("all", self.parts(figures))

    def measures(self) -> Iterator[Asked]:
        """Yield the measures that it asks for, for whoever checks them."""
        measure = getattr(self, "measure", None)
        if measure is not None:
            yield ("measure",), measure, "values"
