"""`limit: {measure: failover, solution: galera, at_most: 60s}`: a mean is below or above a limit."""

from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from fivenines.analysis.statistics.contrasts import contrast
from fivenines.analysis.statistics.means import Summary
from fivenines.studies.claims.figures import Figures
from fivenines.studies.claims.judging import (
    Question,
    absent,
    answer,
    interval_parts,
    is_time,
    may_be_negative,
    mean_text,
)
from fivenines.studies.claims.limits import Limited
from fivenines.studies.claims.places import Spot, spots
from fivenines.studies.claims.verdicts import Atom, Figure, Span
from fivenines.studies.measures import subject


class Limit(Limited):
    """Test whether the mean of a measure is within limits.

    The test holds if the whole interval is within the limits, and is contradicted if it is beyond one
    (Student's t). For non-negative measures a single trial above 0 contradicts `at_most: 0`.
    """

    key: ClassVar[str] = "limit"

    measure: str = Field(description="measure by its name, as failover or connects_refused")

    def atoms(self, figures: Figures) -> list[Atom]:
        return [self._atom(spot, figures) for spot in spots(self, figures)]

    def _atom(self, spot: Spot, figures: Figures) -> Atom:
        words = self.words(self.measure)
        if spot.missing:
            return absent(spot.about, words, spot.missing)
        sample = figures.sample(self.measure, spot.place)
        summary = sample.judged
        result = contrast([summary], [1.0])
        if result.low is not None and not may_be_negative(self.measure):
            result = replace(result, low=max(0.0, result.low))
        estimate, ends = interval_parts(result, is_time(self.measure))
        if summary.bounds:
            estimate = mean_text(self.measure, summary)
        return answer(
            Question(
                [Figure(self.measure, self.measure, spot.place, sample)],
                spot.about,
                words,
                f"{subject(self.measure, spot.about)}: {estimate}{ends}" if estimate else "",
                lambda level: self._decided(summary, level),
                Span("value", result.estimate, result.low, result.high, self.at_least, self.at_most),
            )
        )

    def _decided(self, summary: Summary, level: float) -> bool | None:
        some = summary.mean is not None and summary.mean > 0
        if some and self.at_most == 0 and not may_be_negative(self.measure):
            return False
        result = contrast([summary], [1.0], level)
        return self.within(result.low, result.high)
