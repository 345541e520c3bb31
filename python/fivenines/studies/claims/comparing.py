"""Two sides of a comparison at a place, as a question about their ratio."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fivenines.analysis.statistics.contrasts import Contrast
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.statistics.quotients import Quotient
from fivenines.studies.claims.figures import Figures, Place, Sample
from fivenines.studies.claims.judging import (
    Question,
    absent,
    answer,
    interval_parts,
    may_be_negative,
    mean_text,
)
from fivenines.studies.claims.places import Placed, Side, spots
from fivenines.studies.claims.verdicts import Atom, Figure, Span

Pair = tuple[Side, Side]


@dataclass(frozen=True)
class RatioClaim:
    """A claim about a ratio.

    Attributes:
        words: "at least 1.1 was claimed".
        decide: whether the claim is true of a ratio, with this confidence; None: inconclusive.
        at_least, at_most: the limits, for a drawing.
    """

    words: str
    decide: Callable[[Quotient, float], bool | None]
    at_least: float | None = None
    at_most: float | None = None


def compare_all(
    settings: Placed, figures: Figures, measure: str, pairs: Sequence[Pair], claim: RatioClaim
) -> list[Atom]:
    """Compare each pair at each place of the test."""
    result = []
    for spot in spots(settings, figures):
        if spot.missing:
            result.append(absent(spot.about, claim.words, spot.missing))
            continue
        result += [_compared(figures, measure, spot.place, pair, claim, spot.about) for pair in pairs]
    return result


def _compared(
    figures: Figures, measure: str, place: Place, pair: Pair, claim: RatioClaim, about: str
) -> Atom:
    a, b = (_figures(figures, measure, place, side) for side in pair)
    quotient = Quotient(*_paired([item.sample for item in (a[0], b[0], *a[1:], *b[1:])]))
    interval = _possible(quotient.interval(), measure)
    return answer(
        Question(
            [*a, *b],
            about,
            claim.words,
            _seen(*pair, measure, quotient, interval),
            lambda confidence: claim.decide(quotient, confidence),
            Span("ratio", interval.estimate, interval.low, interval.high, claim.at_least, claim.at_most),
            zero=pair[0].over is not None and quotient.has_zero,
        )
    )


def _paired(samples: Sequence[Sample]) -> list[Summary]:
    """Return the summaries of a ratio; samples from the same interleaved blocks are paired there.

    Two samples from different blocks are independent, as samples of trials are.
    """
    if len(samples) == 2 and not samples[0].shares_blocks(samples[1]):
        return [sample.judged for sample in samples]
    return [sample.paired for sample in samples]


def _possible(interval: Contrast, measure: str) -> Contrast:
    """Return the interval as shown: ratios of non-negative measures are cut at 0."""
    if interval.low is None or may_be_negative(measure):
        return interval
    return replace(interval, low=max(0.0, interval.low))


def _figures(figures: Figures, measure: str, place: Place, side: Side) -> list[Figure]:
    """Return the sample of a side, and of its divisor if it has one."""
    own = side.place(place)
    result = [(side.alone(), own)]
    if side.over is not None:
        result.append((side.over.words(), side.over.place(own)))
    return [Figure(name, measure, at, figures.sample(measure, at)) for name, at in result]


def _seen(a: Side, b: Side, measure: str, quotient: Quotient, interval: Contrast) -> str:
    if quotient.a.mean is None or quotient.b.mean is None:
        return ""
    estimate, ends = interval_parts(interval)
    # Where b may be 0 the ratio is unbounded.
    unbounded = interval.low is None and None not in (quotient.a.sd, quotient.b.sd)
    if estimate and not (unbounded and interval.high is None):
        return f"{a.words()} is {estimate} times {b.words()}{ends}"
    if a.over is not None:
        return ""
    left, right = (mean_text(measure, item) for item in (quotient.a, quotient.b))
    return f"{a.words()} is {left} and {b.words()} is {right}"
