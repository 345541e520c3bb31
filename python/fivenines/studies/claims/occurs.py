"""`occurs: {measure: lost, solution: one-safe}`: an event can occur: at least one trial has it."""

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


class Occurs(ClaimTest):
    """Test whether an event can occur.

    One trial with the event proves the claim. The claim is contradicted if no trial has the event, and the
    upper bound of its share is at most `at_least` (Clopper and Pearson, one-sided, 95 %): that requires 29
    trials for a tenth. The opposite claim is `never`.
    """

    key: ClassVar[str] = "occurs"

    measure: str = Field(description="name of the event, as lost or stale")
    at_least: Share = Field(
        0.1, gt=0, lt=1, description="share of trials below which the event counts as absent"
    )

    def measures(self) -> Iterator[Asked]:
        yield ("measure",), self.measure, "events"

    def atoms(self, figures: Figures) -> list[Atom]:
        return [self._atom(spot, figures) for spot in spots(self, figures)]

    def _atom(self, spot: Spot, figures: Figures) -> Atom:
        claimed = f"that it occurs was claimed (in {percentage(self.at_least)} of trials or more)"
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
            span = Span("share", events.seen / events.n)
            text = sentence(spot.about, seen, claimed)
            return Atom("holds", text, spot.about, alone="holds", span=span, holding=0.0)
        bound = never_upper_bound(events.n)
        span = Span("share", 0.0, 0.0, bound)
        seen = f"{seen} (at most {percentage(bound)})"
        error = float((1 - self.at_least) ** events.n)
        why, reason = self._obstacle(events, error)
        text = sentence(spot.about, seen, claimed, reason)
        if why:
            return Atom("inconclusive", text, spot.about, why, reason, span=span)
        return Atom("contradicted", text, spot.about, alone="contradicted", span=span, against=error)

    def _obstacle(self, events: Events, error: float) -> tuple[Why, str]:
        """Return why trials without the event do not show that it is rarer; empty: they do."""
        if events.limited:
            return "client", f"the client was the bottleneck of the load ({events.limited})"
        if error > ERROR:
            return "width", f"{percentage(self.at_least)} of trials cannot be excluded"
        return "", ""
