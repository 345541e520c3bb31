"""`occurs: {measure: lost, solution: one-safe}`: an event can occur: at least one trial has it."""

from typing import ClassVar

from pydantic import Field

from fivenines.studies.claims.events import EventTest
from fivenines.studies.claims.judging import percentage
from fivenines.studies.claims.quantities import Share


class Occurs(EventTest):
    """Test whether an event can occur.

    One trial with the event proves the claim. The opposite claim is `never`.
    """

    key: ClassVar[str] = "occurs"

    at_least: Share = Field(
        0.1, gt=0, lt=1, description="share of trials below which the event counts as absent"
    )

    @property
    def limit(self) -> float:
        return self.at_least

    @property
    def holds_when_seen(self) -> bool:
        return True

    @property
    def claimed(self) -> str:
        return "that it occurs was claimed"

    @property
    def too_wide(self) -> str:
        return f"{percentage(self.at_least)} of trials cannot be excluded"
