"""Construction of atoms: obstacles, error, and sentence of a comparison."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.statistics.contrasts import Contrast
from fivenines.analysis.statistics.means import EQUAL, Summary
from fivenines.analysis.statistics.sides import smallest_error
from fivenines.analysis.wording import count, listed, milliseconds, number, percent, span
from fivenines.studies.claims.figures import Sample
from fivenines.studies.claims.verdicts import ERROR, Atom, Figure, Span, Status, Why

# Whether a claim is true, by intervals of this confidence; None: inconclusive.
Decide = Callable[[float], bool | None]


@dataclass(frozen=True)
class Question:
    """A comparison before it is judged.

    Attributes:
        figures: figures that decide.
        about: distinguishes it from other comparisons of the test ("at 32 connections").
        claimed: "at least 1.1 was claimed".
        seen: the observation in words, from the 95 % interval, without the claim.
        decide: whether the claim is true.
        span: interval for the drawing.
        members: members of a set.
        overlap: reason if the data are inconclusive.
        zero: whether a mean of 0 is the reason for that.
    """

    figures: Sequence[Figure]
    about: str
    claimed: str
    seen: str
    decide: Decide
    span: Span | None = None
    members: Sequence[str] = ()
    overlap: str = "the interval contains the limit"
    zero: bool = False


def hindrance(figures: Sequence[Figure]) -> tuple[Why, str] | None:
    """Return the obstacle to a judgement by these figures; None without one."""
    for figure in figures:
        if figure.sample.unavailable:
            return "unavailable", f"cannot be run here: {figure.sample.unavailable}"
    for figure in figures:
        if figure.sample.missing or not figure.sample.summary.n:
            return "missing", f"no figures of {figure.name}{_why(figure.sample)}"
    for figure in figures:
        if (few := too_few(figure.name, figure.sample)) is not None:
            return "trials", few
    failing = [figure for figure in figures if figure.sample.failing]
    if failing:
        return "errors", listed([f"{item.name}: {item.sample.failing}" for item in failing])
    limited = [figure for figure in figures if figure.sample.limited]
    if limited:
        texts = [f"{item.name}: {item.sample.limited}" for item in limited]
        return "client", f"the client was the bottleneck of the load ({listed(texts)})"
    return None


def too_few(name: str, sample: Sample) -> str | None:
    """Return why a sample has no interval; None: it has one, or requires none."""
    if sample.exact:
        return None
    if sample.summary.n < 2:
        return f"{name} has {count(sample.summary.n, sample.unit)}; an interval requires two"
    return f"the publication gives no spread of {name}" if sample.summary.sd is None else None


def all_equal(figures: Sequence[Figure]) -> bool:
    """Return whether no sample has a spread, and one is too small for that to be meaningful."""
    samples = [figure.sample.judged for figure in figures]
    return not any(sample.sd for sample in samples) and min(sample.n for sample in samples) < EQUAL


def answer(question: Question) -> Atom:
    """Return the atom that answers a question."""
    hindered = hindrance(question.figures)
    if hindered is not None:
        return _atom(question, "inconclusive", *hindered)
    decision = question.decide(1 - ERROR)
    if decision is None:
        return _atom(question, "inconclusive", *_open(question))
    error = smallest_error(lambda confidence: question.decide(confidence) is decision, ERROR)
    return _atom(question, "holds" if decision else "contradicted", error=error)


def absent(about: str, claimed: str, reason: str, why: Why = "missing") -> Atom:
    """Return the atom of a comparison without figures."""
    return Atom("inconclusive", sentence(about, "", claimed, reason), about, why, reason)


def sentence(about: str, seen: str, claimed: str, reason: str = "") -> str:
    """Return the sentence of an atom: "At 8 connections, a is 1.4 times b (1.2 to 1.6); more was
    claimed.".
    """
    # Without figures the claimed amount is irrelevant.
    text = (
        f"{seen}; {claimed}{': ' + reason if reason else ''}"
        if seen
        else reason or f"nothing was observed; {claimed}"
    )
    if about or not seen:
        text = ", ".join(filter(None, (about, text)))
        text = f"{text[:1].upper()}{text[1:]}"
    return f"{text}."


def _open(question: Question) -> tuple[Why, str]:
    """Return why the data are inconclusive."""
    if all_equal(question.figures):
        most = max(figure.sample.summary.n for figure in question.figures)
        return "equal", f"{count(most, 'value')} that are all equal prove nothing; {EQUAL} would"
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
    """Return whether a measure's values are times in ms."""
    return measure in MEASURES and MEASURES[measure].milli


def may_be_negative(measure: str) -> bool:
    """Return whether a measure's values may be negative."""
    return measure in MEASURES and MEASURES[measure].signed


def interval_parts(contrast: Contrast, milli: bool = False) -> tuple[str, str]:
    """Return an estimate and its interval as two texts: "1.42" and " (1.31 to 1.55)".

    With lower bounds only the certain end: "at least 1.31", and an empty text; without any, two empty texts.
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
    """Return a mean with its unit, preceded by "at least" for lower bounds."""
    text = amount(measure, summary.mean or 0.0)
    return f"at least {text}" if summary.bounds else text


def is_away(measure: str) -> bool:
    """Return whether a measure's values are times without service; others are times until something ended."""
    return measure.startswith(("outage_", "failover"))


def not_recovered(figures: Sequence[Figure]) -> str:
    """Return the samples with lower bounds in words: "a was not back in 1 of 2 trials"."""
    return listed(
        [
            f"{figure.name} {'was not back' if is_away(figure.measure) else 'did not end'} in "
            f"{figure.sample.summary.bounds} of {count(figure.sample.summary.n, 'trial')}"
            for figure in figures
            # The number of trials is unknown if the publication gives only a bound.
            if figure.sample.summary.bounds and (figure.sample.values or figure.sample.summary.sd is not None)
        ]
    )
