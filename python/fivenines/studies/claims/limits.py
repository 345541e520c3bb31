"""Base class of tests with a lower and an upper limit."""

from pydantic import Field

from fivenines.analysis.wording import listed
from fivenines.studies.claims.base import ClaimTest
from fivenines.studies.claims.judging import amount
from fivenines.studies.claims.quantities import Amount


class Limited(ClaimTest):
    """A test with limits of a mean, of which one is enough."""

    at_least: Amount | None = Field(None, description="claimed lower limit")
    at_most: Amount | None = Field(None, description="claimed upper limit")

    def problems(self) -> list[str]:
        result = super().problems()
        if self.at_least is None and self.at_most is None:
            return [*result, "write at_least, at_most or both"]
        if None not in (self.at_least, self.at_most) and self.at_least > self.at_most:  # type: ignore[operator]
            return [*result, "at_least is more than at_most"]
        return result

    def words(self, measure: str) -> str:
        """Return the claim in words, with the unit of the measure."""
        limits = [
            f"{word} {amount(measure, limit)}"
            for word, limit in (("at least", self.at_least), ("at most", self.at_most))
            if limit is not None
        ]
        return f"{listed(limits)} was claimed"

    def within(self, low: float | None, high: float | None) -> bool | None:
        """Return whether an interval is within the limits (False: beyond one); None: inconclusive."""
        if self.at_most is not None and low is not None and low > self.at_most:
            return False
        if self.at_least is not None and high is not None and high < self.at_least:
            return False
        above = self.at_least is None or (low is not None and low >= self.at_least)
        below = self.at_most is None or (high is not None and high <= self.at_most)
        return True if above and below else None
