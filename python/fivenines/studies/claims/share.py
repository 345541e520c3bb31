"""`share: {phase: route, of: outage_writes, at_least: 60%}`: the share of a phase in a time."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from fivenines.analysis.measures.entries.outages import PHASES
from fivenines.analysis.statistics import shares
from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.analysis.statistics.sequential import at_level
from fivenines.analysis.statistics.shares import PartOfWhole
from fivenines.studies.claims.base import Asked
from fivenines.studies.claims.figures import Figures, Place, Sample
from fivenines.studies.claims.judging import Question, absent, answer, percentage
from fivenines.studies.claims.limits import Limited
from fivenines.studies.claims.places import Spot, spots
from fivenines.studies.claims.verdicts import Atom, Figure, Span


class ShareOf(Limited):
    """Test whether the mean of a phase is within limits of the mean of the whole.

    Phase and whole are compared trial by trial; published figures by the widest possible interval. A whole
    that did not end can show that the share is less, and never that it is more.
    """

    key: ClassVar[str] = "share"

    phase: str = Field(description="name of a phase, as detect, promote or route; or of a measure")
    of: str = Field("outage_writes", description="measure of the whole")

    @property
    def measure(self) -> str:
        """Return the measure that the phase is: `route` is `phase:route`."""
        return f"phase:{self.phase}" if self.phase in PHASES else self.phase

    def measures(self) -> Iterator[Asked]:
        yield ("phase",), self.measure, "values"
        yield ("of",), self.of, "values"

    def problems(self) -> list[str]:
        high = [
            f"{name}: a share is at most 1, or 100%"
            for name in ("at_least", "at_most")
            if (getattr(self, name) or 0.0) > 1
        ]
        return super().problems() + high

    def words(self, measure: str) -> str:
        limits = [f"at least {percentage(self.at_least)}"] if self.at_least is not None else []
        limits += [f"at most {percentage(self.at_most)}"] if self.at_most is not None else []
        return f"{' and '.join(limits)} of {measure} was claimed"

    def atoms(self, figures: Figures) -> list[Atom]:
        return [self._atom(spot, figures) for spot in spots(self, figures)]

    def _atom(self, spot: Spot, figures: Figures) -> Atom:
        words = self.words(self.of)
        if spot.missing:
            return absent(spot.about, words, spot.missing)
        part, whole = (figures.sample(name, spot.place) for name in (self.measure, self.of))
        part, whole, result = _together(part, whole)
        interval = result.interval()
        span = Span("share", interval.estimate, interval.low, interval.high, self.at_least, self.at_most)
        return answer(
            Question(
                [_figure(self.measure, spot.place, part), _figure(self.of, spot.place, whole)],
                spot.about,
                words,
                self._seen(span),
                lambda level: self._decided(result, level),
                span,
                zero=not whole.summary.mean,
            )
        )

    def _seen(self, span: Span) -> str:
        low, high = (None if end is None else percentage(max(0.0, end)) for end in (span.low, span.high))
        ends = f" ({low.removesuffix(' %')} to {high})" if low and high else ""
        if span.estimate is not None:
            return f"{self.phase} is {percentage(span.estimate)} of {self.of}{ends}"
        bound = f"at least {low}" if low else f"at most {high}" if high else ""
        return f"{self.phase} is {bound} of {self.of}" if bound else ""

    def _decided(self, whole: PartOfWhole, level: float) -> bool | None:
        messages = []
        if self.at_least is not None:
            where = whole.beyond(self.at_least, level)
            messages.append(None if where is None else where == "above")
        if self.at_most is not None:
            where = whole.beyond(self.at_most, level)
            messages.append(None if where is None else where == "below")
        return False if False in messages else True if all(messages) else None


def _figure(measure: str, place: Place, sample: Sample) -> Figure:
    return Figure(measure, measure, place, sample)


def _together(part: Sample, whole: Sample) -> tuple[Sample, Sample, PartOfWhole]:
    """Return both samples over the trials that have both; as published without trials."""
    if not part.values or not whole.values:
        return part, whole, shares.of_summaries(part.summary, whole.summary)
    wholes = {value.trial: value for value in whole.values}
    pairs = [(value, wholes[value.trial]) for value in part.values if value.trial in wholes]
    if not pairs:
        reason = "no trial has both"
        return (
            replace(part, summary=Summary(0), missing=reason),
            whole,
            shares.of_summaries(Summary(0), Summary(0)),
        )
    both = []
    for sample, index in ((part, 0), (whole, 1)):
        own = [pair[index] for pair in pairs]
        short = summarise([item.value for item in own], bounds=sum(item.bound for item in own))
        nominal = sample.summary.nominal
        short = short if nominal is None else at_level(short, nominal)
        both.append(replace(sample, summary=short, values=tuple(own)))
    trials = shares.of_trials(both[0].summary, both[1].summary, [(a.value, b.value) for a, b in pairs])
    return both[0], both[1], trials
