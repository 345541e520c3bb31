"""Summarise the decisions of several conditions: equal ones once, each with the number of conditions."""

from collections.abc import Sequence

from fivenines.analysis.decision.decide import CASE, Decision
from fivenines.analysis.decision.judging import Judgement
from fivenines.analysis.measures.condition import Requirement
from fivenines.analysis.measures.measures import Measure
from fivenines.analysis.statistics.means import Difference
from fivenines.analysis.wording import count, listed, number, percent
from fivenines.report.sentences.decision import Verdict, crossings
from fivenines.report.sentences.evidence import left_out, more_trials
from fivenines.report.sentences.headline import RECOMMENDED
from fivenines.report.sentences.requirement_words import quoted


def overview(decided: Sequence[Verdict]) -> list[str]:
    """Return each verdict with its conditions, then the reasons; for one condition, its own sentences."""
    if len(decided) < 2:
        return [line for one in decided for line in (one.sentence, *one.lines)]
    if by_case(decided):
        return [cases_line(decided), *map(case_line, decided), *beyond_verdicts(decided)]
    return [*_verdicts(decided), *beyond_verdicts(decided)]


def by_case(decided: Sequence[Verdict]) -> bool:
    """Return whether the decisions are on named cases."""
    return any(CASE in one.decision.condition for one in decided)


def case_line(verdict: Verdict) -> str:
    """Return a case with its verdict: "reads: recommended: a, first by transactions per second."."""
    return f"{verdict.where}: {_lower(verdict.sentence)}"


def cases_line(decided: Sequence[Verdict]) -> str:
    """Return the number of cases by answer: "5 cases: 2 with a recommendation, 3 not measured."."""
    best = [one.decision.best for one in decided if not one.decision.unmeasured]
    numbers = (
        (sum(len(names) == 1 for names in best), "with a recommendation"),
        (sum(len(names) > 1 for names in best), "inconclusive"),
        (sum(not names for names in best), "without a solution"),
        (len(decided) - len(best), "not measured"),
    )
    return f"{len(decided)} cases: {', '.join(f'{n} {words}' for n, words in numbers if n)}."


def beyond_verdicts(decided: Sequence[Verdict]) -> list[str]:
    """Return the reasons and limits of several decisions, without the verdicts."""
    return [
        *crossings(decided),
        *_missed(decided),
        *_absent(decided),
        *_prices(decided),
        *_inconclusive(decided),
    ]


def _verdicts(decided: Sequence[Verdict]) -> list[str]:
    """Return one sentence with the recommended solutions, then the reasons if these differ."""
    places: dict[str, list[str]] = {}
    recommended: dict[str, list[str]] = {}
    for one in decided:
        places.setdefault(one.sentence, []).append(one.where)
        recommended.setdefault(_best(one.decision), []).append(one.where)
    everywhere = f"In all {len(decided)} conditions, "
    if len(places) == 1:
        (text,) = places
        return [f"{everywhere}{_lower(text)}"]
    if len(recommended) == 1:
        first = f"{everywhere}recommended: {next(iter(recommended))}."
    else:
        parts = [f"{words} ({_places(where, decided)})" for words, where in recommended.items()]
        first = f"{RECOMMENDED}{'; '.join(parts)}."
    return [
        first,
        *(
            f"{_places(where, decided)}: {_lower(text).removeprefix(RECOMMENDED.lower())}"
            for text, where in places.items()
        ),
    ]


# Up to this number conditions are listed; more are counted.
_LISTED = 4


def _places(where: Sequence[str], decided: Sequence[Verdict]) -> str:
    return "; ".join(where) if len(where) <= _LISTED else _of(len(where), decided)


def _best(decision: Decision) -> str:
    names = [decision.candidate(name).called for name in decision.best]
    if not names:
        return "no solution"
    return names[0] if len(names) == 1 else f"{listed(names, 'or')}, without a measurable difference"


def _lower(sentence: str) -> str:
    """Return a sentence of `decision.sentence` for use after a comma or colon."""
    return sentence[0].lower() + sentence[1:]


def _missed(decided: Sequence[Verdict]) -> list[str]:
    """ "b does not meet “no acknowledged row lost” (lost = 0) in 5 of 6 conditions." """
    hits: dict[tuple[str, str], int] = {}
    for one in decided:
        for candidate in one.decision.candidates:
            for judgement in candidate.judgements:
                if judgement.status == "missed":
                    requirement = judgement.requirement
                    key = (candidate.called, f"{quoted([requirement])} ({requirement.text})")
                    hits[key] = hits.get(key, 0) + 1
    return [
        f"{name} does not meet {requirement} {_of(n, decided)}." for (name, requirement), n in hits.items()
    ]


def _absent(decided: Sequence[Verdict]) -> list[str]:
    hits: dict[str, int] = {}
    for one in decided:
        for name in one.decision.absent:
            hits[name] = hits.get(name, 0) + 1
    return [f"{name} has no complete trial {_of(n, decided)}." for name, n in hits.items()]


def _prices(decided: Sequence[Verdict]) -> list[str]:
    """Return the cost of each alternative to the best solution, as a range over all conditions."""
    gathered: dict[tuple[str, str, str], list[tuple[Measure, Difference]]] = {}
    for one in decided:
        for name, (measure, difference) in one.decision.price.items():
            best = one.decision.candidate(one.decision.best[0]).called
            key = (one.decision.candidate(name).called, best, measure.name)
            gathered.setdefault(key, []).append((measure, difference))
    return [
        f"{name} instead of {best}: {_range(some[0][0], [d for _, d in some])}, {_of(len(some), decided)}."
        for (name, best, _), some in gathered.items()
    ]


def _range(measure: Measure, differences: Sequence[Difference]) -> str:
    """ "20 to 32 % fewer transactions per second", "outage of writes 3 to 9 % longer"."""
    if measure.kind == "number":
        a, b = differences[0].a.mean or 0.0, differences[0].b.mean or 0.0
        return f"{measure.noun} {number(a)} instead of {number(b)}"
    shares = sorted(100 * ((one.ratio or 1.0) - 1) for one in differences)
    ends = sorted(abs(share) for share in (shares[0], shares[-1]))
    low, high = (percent(end) for end in ends)
    size = f"{low} %" if low == high else f"{low} to {high} %"
    least = "at least " if any(one.bounded for one in differences) else ""
    rate = measure.kind == "rate"
    less, more = measure.words
    word = more if shares[0] > 0 else less if shares[-1] < 0 else f"{less} or {more}"
    if rate:
        return f"{size} {word} {measure.noun}"
    return f"{measure.noun} {least}{size} {word}"


def _inconclusive(decided: Sequence[Verdict]) -> list[str]:
    """Return the inconclusive requirements, and the number of trials that would decide them."""
    gathered: dict[str, list[tuple[int, Judgement]]] = {}
    for place, one in enumerate(decided):
        for candidate in one.decision.candidates:
            for judgement in candidate.judgements if candidate.status != "missed" else []:
                if judgement.status == "inconclusive":
                    gathered.setdefault(judgement.requirement.text, []).append((place, judgement))
    alike: dict[str, list[Requirement]] = {}
    for some in gathered.values():
        where = _of(len({place for place, _ in some}), decided)
        would = more_trials([one for _, one in some]) or left_out([one for _, one in some])
        alike.setdefault(f"{where}{would}", []).append(some[0][1].requirement)
    return [
        f"{quoted(requirements)} {'is' if len(requirements) == 1 else 'are'} inconclusive {where}."
        for where, requirements in alike.items()
    ]


def _of(n: int, decided: Sequence[Verdict]) -> str:
    noun = "case" if by_case(decided) else "condition"
    return f"in all {noun}s" if n == len(decided) else f"in {n} of {count(len(decided), noun)}"
