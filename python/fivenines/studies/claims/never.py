"""`never: {measure: lost, solution: two-safe, at_most: 10%}`: an event does not occur."""

from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from fivenines.studies.claims.events import EventTest
from fivenines.studies.claims.figures import Events
from fivenines.studies.claims.judging import percentage
from fivenines.studies.claims.quantities import Share
from fivenines.studies.claims.verdicts import Span, Why


class Never(EventTest):
    """Test whether an event never occurs.

    One trial with the event contradicts the claim, whatever else is wrong with the trials. The opposite claim
    is `occurs`.
    """

    key: ClassVar[str] = "never"

    at_most: Share = Field(0.1, gt=0, lt=1, description="upper bound of the share of trials with the event")

    @property
    def limit(self) -> float:
        return self.at_most

    @property
    def holds_when_seen(self) -> bool:
        return False

    @property
    def claimed(self) -> str:
        return f"never was claimed (at most {percentage(self.at_most)} of trials)"

    @property
    def too_wide(self) -> str:
        return f"more than {percentage(self.at_most)} of trials cannot be excluded"

    def span(self, estimate: float, low: float | None = None, high: float | None = None) -> Span:
        return replace(super().span(estimate, low, high), at_most=self.at_most)

    def obstacle(self, events: Events, error: float) -> tuple[Why, str]:
        if events.n < 2:
            return "trials", "there is 1 trial; an interval requires two"
        return super().obstacle(events, error)
