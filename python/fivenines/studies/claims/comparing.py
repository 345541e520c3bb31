"""Two sides of a comparison at a place, as a question about their ratio."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.analysis.contrasts import Contrast
from fivenines.analysis.quotients import Quotient
from fivenines.studies.claims.figures import Figures, Place
from fivenines.studies.claims.judging import Question, absent, amount, answer, interval_parts
from fivenines.studies.claims.places import Placed, Side, spots
from fivenines.studies.claims.verdicts import Atom, Figure, Span

Pair = tuple[Side, Side]


@dataclass(frozen=True)
class RatioClaim:
    """What is claimed of a ratio.

    Attributes:
        words: "at least 1.1 was claimed".
        decide: whether a ratio is so, with this confidence; None: the data do not tell.
        at_least, at_most: the limits, for a drawing.
    """

    words: str
    decide: Callable[[Quotient, float], bool | None]
    at_least: float | None = None
    at_most: float | None = None


def compare_all(
    settings: Placed,
    figures: Figures,
    measure: str,
    pairs: Sequence[Pair],
    claim: RatioClaim,
) -> list[Atom]:
    """Each pair at each place that the test asks about."""
    found = []
    for spot in spots(settings, figures):
        if spot.missing:
            found.append(absent(spot.about, claim.words, spot.missing))
            continue
        found += [
            _compared(figures, measure, spot.place, pair, claim, spot.about) for pair in pairs
        ]
    return found


def _compared(
    figures: Figures, measure: str, place: Place, pair: Pair, claim: RatioClaim, about: str
) -> Atom:
    a, b = (_figures(figures, measure, place, side) for side in pair)
    quotient = Quotient(*(one.sample.summary for one in (a[0], b[0], *a[1:], *b[1:])))
    interval = quotient.interval()
    return answer(
        Question(
            [*a, *b],
            about,
            claim.words,
            _seen(*pair, measure, quotient, interval),
            lambda confidence: claim.decide(quotient, confidence),
            Span(
                "ratio",
                interval.estimate,
                interval.low,
                interval.high,
                claim.at_least,
                claim.at_most,
            ),
            zero=pair[0].over is not None and quotient.has_zero,
        )
    )


def _figures(figures: Figures, measure: str, place: Place, side: Side) -> list[Figure]:
    """The sample of a side, and of its divisor if it has one."""
    own = side.place(place)
    found = [(side.alone(), own)]
    if side.over is not None:
        found.append((side.over.words(), side.over.place(own)))
    return [Figure(name, measure, at, figures.sample(measure, at)) for name, at in found]


def _seen(a: Side, b: Side, measure: str, quotient: Quotient, interval: Contrast) -> str:
    left, right = quotient.a.mean, quotient.b.mean
    if left is None or right is None:
        return ""
    if interval.estimate is None:
        if a.over is not None:
            return ""
        return f"{a.words()} is {amount(measure, left)} and {b.words()} {amount(measure, right)}"
    estimate, ends = interval_parts(interval)
    return f"{a.words()} is {estimate} times {b.words()}{ends}"
