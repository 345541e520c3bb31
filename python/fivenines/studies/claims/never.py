"""`never: {measure: lost, solution: two-safe, at_most: 10%}`: an event does not occur."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from fivenines.analysis.statistics.means import never_upper_bound
from fivenines.analysis.wording import count
from fivenines.studies.claims.base import Asked, ClaimTest
from fivenines.studies.claims.figures import Events, Figures
from fivenines.studies.claims.judging import absent, percentage, sentence
from fivenines.studies.claims.places import Spot, spots
from fivenines.studies.claims.quantities import Share
from fivenines.studies.claims.verdicts import ERROR, Atom, Span, Why
from fivenines.studies.measures import subject


class Never(ClaimTest):
    """Test whether an event never occurs.

    One trial with the event contradicts the claim, whatever else is wrong with the trials. The claim holds if
    no trial has the event, and the upper bound of its share is at most `at_most` (Clopper and Pearson,
    one-sided, 95 %): that requires 29 trials for a tenth.
    """

    key: ClassVar[str] = "never"

    measure: str = Field(description="name of the event, as lost or not_recovered")
    at_most: Share = Field(0.1, gt=0, lt=1, description="upper bound of the share of trials with the event")

    def measures(self) -> Iterator[Asked]:
        yield ("measure",), self.measure, "events"

    def atoms(self, figures: Figures) -> list[Atom]:
        return [self._atom(spot, figures) for spot in spots(self, figures)]

    def _atom(self, spot: Spot, figures: Figures) -> Atom:
        claimed = f"never was claimed (at most {percentage(self.at_most)} of trials)"
        if spot.missing:
            return absent(spot.about, claimed, spot.missing)
        events = figures.events(self.measure, spot.place)
        if events.unavailable:
            return absent(spot.about, claimed, events.unavailable, "unavailable")
        if not events.n:
            return absent(spot.about, claimed, events.missing or "no trial could observe it")
        return self._judged(events, spot, claimed)

    def _judged(self, events: Events, spot: Spot, claimed: str) -> Atom:
        seen = f"{subject(self.measure, spot.about)}: seen in {events.seen} of {count(events.n, 'trial')}"
        if events.seen:
            return Atom(
                "contradicted",
                sentence(spot.about, seen, claimed),
                spot.about,
                alone="contradicted",
                span=Span("share", events.seen / events.n, at_most=self.at_most),
                against=0.0,
            )
        bound = never_upper_bound(events.n)
        span = Span("share", 0.0, 0.0, bound, at_most=self.at_most)
        seen = f"{seen} (at most {percentage(bound)})"
        error = float((1 - self.at_most) ** events.n)
        if (why := _hindered(events, error, self.at_most)) is not None:
            text = sentence(spot.about, seen, claimed, why[1])
            return Atom("inconclusive", text, spot.about, *why, span=span)
        text = sentence(spot.about, seen, claimed)
        return Atom("holds", text, spot.about, alone="holds", span=span, holding=error)


def _hindered(events: Events, error: float, at_most: float) -> tuple[Why, str] | None:
    if events.n < 2:
        return "trials", "there is 1 trial; an interval requires two"
    if events.limited:
        return "client", f"the client was the bottleneck of the load ({events.limited})"
    if error > ERROR:
        return "width", f"more than {percentage(at_most)} of trials cannot be excluded"
    return None
