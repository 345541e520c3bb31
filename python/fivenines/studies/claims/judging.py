"""How an atom is made: what hinders it, how sure it is, and what it says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.analysis.contrasts import Contrast
from fivenines.analysis.sides import smallest_error
from fivenines.analysis.statistics import EQUAL, Summary
from fivenines.analysis.wording import count, listed, milliseconds, number, percent, span
from fivenines.requirements.measures import MEASURES
from fivenines.studies.claims.figures import Sample
from fivenines.studies.claims.verdicts import ERROR, Atom, Figure, Span, Status, Why

# Whether it is so, by intervals of this confidence; None: they do not tell.
Decide = Callable[[float], bool | None]


@dataclass(frozen=True)
class Question:
    """What an atom is about, before it is judged.

    Attributes:
        figures: what it is judged by.
        about: which of several it is ("at 32 connections").
        claimed: "at least 1.1 was claimed".
        seen: what was seen, without what was claimed; made from the interval of 95 %.
        decide: whether it is so.
        span: what is drawn.
        members: of a set.
        overlap: what the data leave open where they do not tell.
        zero: whether a mean of 0 is to blame for that.
    """

    figures: Sequence[Figure]
    about: str
    claimed: str
    seen: str
    decide: Decide
    span: Span | None = None
    members: Sequence[str] = ()
    overlap: str = "the interval reaches over the limit"
    zero: bool = False


def hindrance(figures: Sequence[Figure]) -> tuple[Why, str] | None:
    """Return why nothing can be judged by these figures; None: nothing is in the way."""
    for figure in figures:
        if figure.sample.unavailable:
            return "unavailable", f"cannot be run here: {figure.sample.unavailable}"
    for figure in figures:
        if figure.sample.missing or not figure.sample.summary.n:
            return "missing", f"there are no figures of {figure.name}{_why(figure.sample)}"
    for figure in figures:
        if (few := too_few(figure.name, figure.sample)) is not None:
            return "trials", few
    failing = [figure for figure in figures if figure.sample.failing]
    if failing:
        return "errors", listed([f"{item.name}: {item.sample.failing}" for item in failing])
    limited = [figure for figure in figures if figure.sample.limited]
    if limited:
        texts = [f"{item.name}: {item.sample.limited}" for item in limited]
        return "client", f"the load was limited by the client ({listed(texts)})"
    return None


def too_few(name: str, sample: Sample) -> str | None:
    """Return why there is no interval of a sample; None: there is one, or it needs none."""
    if sample.exact:
        return None
    if sample.summary.n < 2:
        return f"{name} has {count(sample.summary.n, 'trial')}, and it takes two"
    return f"no spread was printed of {name}" if sample.summary.sd is None else None


def all_equal(figures: Sequence[Figure]) -> bool:
    """Return whether no sample has a spread, and one is too small for that to mean anything."""
    samples = [figure.sample.judged for figure in figures]
    return not any(sample.sd for sample in samples) and min(sample.n for sample in samples) < EQUAL


def answer(question: Question) -> Atom:
    """Return the atom that follows from a question."""
    hindered = hindrance(question.figures)
    if hindered is not None:
        return _atom(question, "inconclusive", *hindered)
    told = question.decide(1 - ERROR)
    if told is None:
        return _atom(question, "inconclusive", *_open(question))
    error = smallest_error(lambda confidence: question.decide(confidence) is told, ERROR)
    return _atom(question, "holds" if told else "contradicted", error=error)


def absent(about: str, claimed: str, reason: str, why: Why = "missing") -> Atom:
    """Return the atom of what is not there."""
    return Atom("inconclusive", sentence(about, "", claimed, reason), about, why, reason)


def sentence(about: str, seen: str, claimed: str, reason: str = "") -> str:
    """Return all of it: "At 8 connections, a is 1.4 times b (1.2 to 1.6); more was claimed."."""
    # of what is not there nobody asks how much was claimed
    told = (
        f"{seen}; {claimed}{': ' + reason if reason else ''}"
        if seen
        else reason or f"nothing was seen; {claimed}"
    )
    if about or not seen:
        told = ", ".join(filter(None, (about, told)))
        told = f"{told[:1].upper()}{told[1:]}"
    return f"{told}."


def _open(question: Question) -> tuple[Why, str]:
    """Return why the data do not tell."""
    if all_equal(question.figures):
        most = max(figure.sample.summary.n for figure in question.figures)
        return "equal", f"{count(most, 'value')} that are all equal prove nothing, it takes {EQUAL}"
    if any(figure.sample.summary.bounds for figure in question.figures):
        return "bounds", "a mean is a lower bound, which leaves it open"
    if question.zero:
        return "zero", "a mean is 0, and has no ratio"
    return "width", question.overlap


def _atom(question: Question, status: Status, why: Why = "", reason: str = "", error: float = 1.0) -> Atom:
    bounds = not_recovered(question.figures)
    seen = f"{question.seen} ({bounds})" if bounds and question.seen else question.seen
    text = sentence(question.about, seen, question.claimed, reason)
    return Atom(
        status,
        text,
        question.about,
        why,
        reason,
        status,
        question.figures,
        question.span,
        question.members,
        error if status == "holds" else 1.0,
        error if status == "contradicted" else 1.0,
    )


def _why(sample: Sample) -> str:
    return f" ({sample.missing})" if sample.missing else ""


def amount(measure: str, value: float) -> str:
    """Return a value of a measure with its unit."""
    return milliseconds(value) if is_time(measure) else number(value)


def percentage(share: float) -> str:
    """Return a share in per cent: "10 %"."""
    return f"{percent(100 * share)} %"


def is_time(measure: str) -> bool:
    """Return whether its values are times in ms."""
    return measure in MEASURES and MEASURES[measure].milli


def may_be_negative(measure: str) -> bool:
    """Return whether its values may be below 0."""
    return measure in MEASURES and MEASURES[measure].signed


def interval_parts(contrast: Contrast, milli: bool = False) -> tuple[str, str]:
    """Return an estimate and its interval as two texts: "1.42" and " (1.31 to 1.55)".

    Of lower bounds only the end that is proven: "at least 1.31", and nothing; nothing at all of none.
    """
    show = milliseconds if milli else number
    if contrast.estimate is not None:
        if contrast.low is None or contrast.high is None:
            return show(contrast.estimate), ""
        return show(contrast.estimate), f" ({span(contrast.low, contrast.high, milli)})"
    if contrast.low is not None:
        return f"at least {show(contrast.low)}", ""
    return (f"at most {show(contrast.high)}" if contrast.high is not None else ""), ""


def mean_text(measure: str, summary: Summary) -> str:
    """Return a mean with its unit; of lower bounds "at least" it."""
    text = amount(measure, summary.mean or 0.0)
    return f"at least {text}" if summary.bounds else text


def _cut(measure: str) -> str:
    return "was not back" if measure.startswith(("outage_", "failover")) else "did not end"


def not_recovered(figures: Sequence[Figure]) -> str:
    """Of which samples some values are lower bounds: "a was not back in 1 of 2 trials"."""
    return listed(
        [
            f"{figure.name} {_cut(figure.measure)} in {figure.sample.summary.bounds} of "
            f"{count(figure.sample.summary.n, 'trial')}"
            for figure in figures
            # in how many is not known where a bound is all that is printed
            if figure.sample.summary.bounds and (figure.sample.values or figure.sample.summary.sd is not None)
        ]
    )
