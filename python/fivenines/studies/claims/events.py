"""What tests of events share: an event that was seen in trials, or in none of them."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from fivenines.analysis.statistics.means import never_upper_bound
from fivenines.analysis.wording import count
from fivenines.studies.claims.base import Asked, ClaimTest
from fivenines.studies.claims.figures import Events, Figures
from fivenines.studies.claims.judging import absent, percentage, sentence
from fivenines.studies.claims.places import Spot, spots
from fivenines.studies.claims.verdicts import ERROR, Atom, Span, Why
from fivenines.studies.measures import subject


class EventTest(ClaimTest):
    """Test whether trials have an event.

    One trial with the event decides. Without one, the opposite is decided if the upper bound of the event's
    share is at most `limit` (Clopper and Pearson, one-sided, 95 %): that requires 29 trials for a tenth.
    """

    measure: str = Field(description="name of the event, as lost, stale or not_recovered")

    @property
    @abstractmethod
    def limit(self) -> float:
        """Return the share of trials below which the event counts as absent."""

    @property
    @abstractmethod
    def claimed(self) -> str:
        """Return the claim in words."""

    @property
    @abstractmethod
    def holds_when_seen(self) -> bool:
        """Return whether a trial with the event proves the claim; else it contradicts it."""

    def span(self, estimate: float, low: float | None = None, high: float | None = None) -> Span:
        """Return the share of trials with the event."""
        return Span("share", estimate, low, high)

    def obstacle(self, events: Events, error: float) -> tuple[Why, str]:
        """Return why trials without the event decide nothing; empty if they do."""
        if events.limited:
            return "client", f"the client was the bottleneck of the load ({events.limited})"
        if error > ERROR:
            return "width", self.too_wide
        return "", ""

    @property
    @abstractmethod
    def too_wide(self) -> str:
        """Return in words that too few trials were without the event."""

    def measures(self) -> Iterator[Asked]:
        yield ("measure",), self.measure, "events"

    def atoms(self, figures: Figures) -> list[Atom]:
        return [self._atom(spot, figures) for spot in spots(self, figures)]

    def _atom(self, spot: Spot, figures: Figures) -> Atom:
        if spot.missing:
            return absent(spot.about, self.claimed, spot.missing)
        events = figures.events(self.measure, spot.place)
        if events.unavailable:
            return absent(spot.about, self.claimed, events.unavailable, "unavailable")
        if not events.n:
            return absent(spot.about, self.claimed, events.missing or "no trial could observe it")
        return self._judged(events, spot)

    def _judged(self, events: Events, spot: Spot) -> Atom:
        seen = f"{subject(self.measure, spot.about)}: seen in {events.seen} of {count(events.n, 'trial')}"
        if events.seen:
            text = sentence(spot.about, seen, self.claimed)
            return _decided(self.holds_when_seen, text, spot, self.span(events.seen / events.n), 0.0)
        bound = never_upper_bound(events.n)
        span = self.span(0.0, 0.0, bound)
        error = float((1 - self.limit) ** events.n)
        why, reason = self.obstacle(events, error)
        text = sentence(spot.about, f"{seen} (at most {percentage(bound)})", self.claimed, reason)
        if why:
            return Atom("inconclusive", text, spot.about, why, reason, span=span)
        return _decided(not self.holds_when_seen, text, spot, span, error)


def _decided(holds: bool, text: str, spot: Spot, span: Span, error: float) -> Atom:
    status: Literal["holds", "contradicted"] = "holds" if holds else "contradicted"
    holding, against = (error, 1.0) if holds else (1.0, error)
    return Atom(status, text, spot.about, alone=status, span=span, holding=holding, against=against)
