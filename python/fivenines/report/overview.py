"""The decisions of several conditions together: alike ones once, and what holds in how many of them."""

from collections.abc import Sequence

from fivenines.analysis.decision.decide import Decision
from fivenines.analysis.decision.judging import Judgement
from fivenines.analysis.statistics import Difference
from fivenines.analysis.wording import count, listed, number, percent
from fivenines.report.decision import Verdict, crossings, more_trials
from fivenines.report.requirement_words import quoted
from fivenines.requirements.condition import Requirement
from fivenines.requirements.measures import Measure


def overview(found: Sequence[Verdict]) -> list[str]:
    """Each verdict with its conditions, then the reasons; of one condition what it says itself."""
    if len(found) < 2:
        return [line for one in found for line in (one.sentence, *one.reasons)]
    return [
        *_verdicts(found),
        *crossings(found),
        *_missed(found),
        *_absent(found),
        *_prices(found),
        *_untold(found),
    ]


def _verdicts(found: Sequence[Verdict]) -> list[str]:
    """In one sentence which solution to take where; then what each follows from, where that differs."""
    places: dict[str, list[str]] = {}
    taken: dict[str, list[str]] = {}
    for one in found:
        places.setdefault(one.sentence, []).append(one.where)
        taken.setdefault(_best(one.decision), []).append(one.where)
    if len(places) == 1:
        return [f"In all {len(found)} conditions: {_lower(next(iter(places)))}"]
    if len(taken) == 1:
        first = f"In all {len(found)} conditions: {next(iter(taken))}."
    else:
        parts = [f"{words} ({_places(where, found)})" for words, where in taken.items()]
        first = f"It depends: {'; '.join(parts)}."
    return [first, *(f"{_places(where, found)}: {_lower(text)}" for text, where in places.items())]


_LISTED = 4
"""So many conditions are listed, more are counted."""


def _places(where: Sequence[str], found: Sequence[Verdict]) -> str:
    return "; ".join(where) if len(where) <= _LISTED else _of(len(where), found)


def _best(decision: Decision) -> str:
    names = [decision.candidate(name).called for name in decision.best]
    if not names:
        return "no solution is left"
    return f"take {names[0]}" if len(names) == 1 else f"{listed(names)} cannot be told apart"


def _lower(sentence: str) -> str:
    """A sentence behind a colon; what begins with a name stays."""
    begins = sentence.startswith(("Take ", "No solution is left"))
    return sentence[0].lower() + sentence[1:] if begins else sentence


def _missed(found: Sequence[Verdict]) -> list[str]:
    """ "b misses “no acknowledged row lost” (lost = 0) in 5 of 6 conditions." """
    hits: dict[tuple[str, str], int] = {}
    for one in found:
        for candidate in one.decision.candidates:
            for judgement in candidate.judgements:
                if judgement.status == "missed":
                    requirement = judgement.requirement
                    key = (candidate.called, f"{quoted([requirement])} ({requirement.text})")
                    hits[key] = hits.get(key, 0) + 1
    return [f"{name} misses {requirement} {_of(n, found)}." for (name, requirement), n in hits.items()]


def _absent(found: Sequence[Verdict]) -> list[str]:
    hits: dict[str, int] = {}
    for one in found:
        for name in one.decision.absent:
            hits[name] = hits.get(name, 0) + 1
    return [f"{name} has no complete trial {_of(n, found)}." for name, n in hits.items()]


def _prices(found: Sequence[Verdict]) -> list[str]:
    """What each other one would cost instead of the best, from the least to the most of all conditions."""
    gathered: dict[tuple[str, str, str], list[tuple[Measure, Difference]]] = {}
    for one in found:
        for name, (measure, difference) in one.decision.price.items():
            best = one.decision.candidate(one.decision.best[0]).called
            key = (one.decision.candidate(name).called, best, measure.name)
            gathered.setdefault(key, []).append((measure, difference))
    return [
        f"{name} instead of {best}: {_range(some[0][0], [d for _, d in some])}, {_of(len(some), found)}."
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


def _untold(found: Sequence[Verdict]) -> list[str]:
    """Which needs are undecided somewhere of what misses none, and how many trials would decide them."""
    gathered: dict[str, list[tuple[int, Judgement]]] = {}
    for place, one in enumerate(found):
        for candidate in one.decision.candidates:
            for judgement in candidate.judgements if candidate.status != "missed" else []:
                if judgement.status == "inconclusive":
                    gathered.setdefault(judgement.requirement.text, []).append((place, judgement))
    alike: dict[str, list[Requirement]] = {}
    for some in gathered.values():
        where = _of(len({place for place, _ in some}), found)
        would = more_trials([one for _, one in some])
        alike.setdefault(f"{where}{would}", []).append(some[0][1].requirement)
    return [
        f"{quoted(requirements)} {'is' if len(requirements) == 1 else 'are'} undecided {where}."
        for where, requirements in alike.items()
    ]


def _of(n: int, found: Sequence[Verdict]) -> str:
    return "in all conditions" if n == len(found) else f"in {n} of {count(len(found), 'condition')}"
