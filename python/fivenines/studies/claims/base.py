"""Base class of all tests of claims: a test gets figures and returns a verdict."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal

from fivenines.studies.claims.figures import Figures
from fivenines.studies.claims.places import Placed
from fivenines.studies.claims.verdicts import Atom, Verdict, verdict

# Path of a measure in a test, its name, and the kind of figures that the test uses.
Asked = tuple[tuple[str | int, ...], str, Literal["values", "events"]]


class ClaimTest(Placed):
    """A kind of test. A file of this package that defines one is found by its `key`."""

    # Name in a study: `test: {KEY: {...}}`.
    key: ClassVar[str]

    @abstractmethod
    def atoms(self, figures: Figures) -> list[Atom]:
        """Return each comparison of the test."""

    def parts(self, figures: Figures) -> list[Atom | Verdict]:
        """Return the parts of the verdict."""
        return list(self.atoms(figures))

    def judge(self, figures: Figures) -> Verdict:
        """Return the verdict: the test holds if each of its comparisons does."""
        return verdict("all", self.parts(figures))

    def measures(self) -> Iterator[Asked]:
        """Yield the measures of the test, for validation."""
        measure = getattr(self, "measure", None)
        if measure is not None:
            yield ("measure",), measure, "values"
