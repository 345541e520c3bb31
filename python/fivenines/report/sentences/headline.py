"""Put a decision into a headline of one sentence and at most four lines below it."""

from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.decision.decide import Decision
from fivenines.analysis.statistics.means import Difference
from fivenines.analysis.wording import count, listed
from fivenines.report.sentences.evidence import (
    BY_DESIGN,
    at,
    compared_text,
    continued,
    evidence,
    instead,
    missed_text,
)
from fivenines.report.sentences.requirement_words import quoted

# A decision for one solution begins with this.
RECOMMENDED = "Recommended: "


def sentence(decision: Decision) -> str:
    """Return the headline: a broken promise, else the recommended solution and why, in one sentence."""
    return next(iter(broken_promises(decision)), "") or recommendation(decision)


def recommendation(decision: Decision) -> str:
    """Return the recommended solution and why, in one sentence."""
    if decision.unmeasured:
        return f"Not measured: {decision.unmeasured}."
    best = [decision.candidate(name).called for name in decision.best]
    if not best:
        return "No solution meets the requirements: each one violates at least one."
    if len(best) == 1:
        return f"{RECOMMENDED}{best[0]}, {_why(decision)}{_unmeasured(decision)}."
    return _inconclusive(decision, best)


def _inconclusive(decision: Decision, best: list[str]) -> str:
    """Return why several solutions may be the best."""
    between = f"between {listed(best)}" if len(best) <= _NAMED else f"among {len(best)} solutions"
    if not decision.steps:
        return f"Inconclusive {between}: no preference could be compared."
    if min(decision.candidate(name).trials for name in decision.best) < 2:
        return f"Inconclusive {between}: one trial has no interval, run two or more of each."
    if not (known := _known_preferences(decision)):
        nouns = listed([step.measure.noun for step in decision.steps], "or")
        return f"Inconclusive {between}: {nouns} was not measured."
    size = f" of {100 * decision.margin:g} % or more" if decision.margin else ""
    return f"Inconclusive {between}: no difference{size} was shown in {listed(known, 'or')}."


# With more solutions a headline gives their number, and a line the number of further ones.
_NAMED = 3


def broken_promises(decision: Decision) -> list[str]:
    """Return a sentence for each solution that lost rows although its design excludes that."""
    return [
        f"Broken promise: {one.called} lost acknowledged rows in {judgement.events} of "
        f"{judgement.counted} (first {judgement.broken[0]}), which its design excludes."
        for one in decision.candidates
        for judgement in one.judgements
        if judgement.broken
    ]


def lines(decision: Decision) -> list[str]:
    """Return at most four lines: why, what it costs, what is open, and the command that closes it."""
    promises = broken_promises(decision)
    found = [*promises[1:2], recommendation(decision)] if promises else []
    found += [_excluded(decision), _cost(decision), *_open_and_next(decision)]
    return [line for line in found if line][:_LINES]


_LINES = 4


def _excluded(decision: Decision) -> str:
    """ "Not eligible: a (may lose acknowledged rows by design), b (writes not recovered)"; one in full."""
    missed = [one for one in decision.candidates if one.status == "missed"]
    if len(missed) == 1 and not decision.absent:
        return missed_text(missed[0])
    named = [f"{one.called} ({_first_failure(one)})" for one in missed[:_NAMED]]
    more = [f"{len(missed) - _NAMED} more"] if len(missed) > _NAMED else []
    absent = [f"{name} (no complete trial)" for name in decision.absent]
    every = [*named, *more, *absent]
    return f"Not eligible: {listed(every)}." if every else ""


def _first_failure(candidate: Candidate) -> str:
    """Return a failed requirement in few words, that of the design first."""
    failed = [one for one in candidate.judgements if one.status == "missed"]
    first = next((one for one in failed if one.design), failed[0])
    return BY_DESIGN if first.design else f"{first.requirement.measure.noun} {at(first)}"


def _cost(decision: Decision) -> str:
    """Return what the requirements cost; without a cost, the alternative that is closest to the best."""
    if (cost := decision.cost) is not None:
        interleaved = ", interleaved" if cost.interleaved else ""
        than = decision.candidate(cost.excluded).called
        return f"Cost against {than}: {compared_text(cost.measure, cost.difference)}{interleaved}."
    closest = min(decision.price, key=lambda name: _apart(decision.price[name][1]), default="")
    return instead(decision, closest) if closest else ""


def _apart(difference: Difference) -> float:
    return abs((difference.ratio or 1.0) - 1)


def _open_and_next(decision: Decision) -> list[str]:
    """Return what is not confirmed of the best, and the command that would decide."""
    if len(decision.best) > 1 and decision.more is not None:
        return [f"About {decision.more} trials of each would show one: {continued(decision.more)}"]
    if not decision.best:
        return []
    chosen = decision.candidate(decision.best[0])
    totals = [one.enough for one in chosen.judgements if one.enough is not None and one.n]
    next_ = f"{max(totals)} trials of each would confirm: {continued(max(totals))}" if totals else ""
    return [_limits(chosen), next_]


def _limits(chosen: Candidate) -> str:
    """ "3 trials are too few to confirm “no acknowledged row lost” and 2 more requirements." """
    open_ = [one for one in chosen.judgements if one.status == "inconclusive"]
    if not open_:
        return ""
    known = [one for one in open_ if one.n and one.estimate is None and not one.missing]
    if not known:
        return f"{quoted([open_[0].requirement])}: {evidence(open_[0])}."
    # Lost rows weigh most, so they are named first.
    first = next((one for one in known if one.requirement.measure.name == "lost"), known[0])
    fewest, rest = min(known, key=lambda one: one.n), len(open_) - 1
    more = f" and {count(rest, 'more requirement')}" if rest else ""
    verb = "is" if fewest.n == 1 else "are"
    return f"{fewest.counted} {verb} too few to confirm {quoted([first.requirement])}{more}."


def _why(decision: Decision) -> str:
    name = decision.best[0]
    others = [one for one in decision.candidates if one.name != name]
    if not others:
        return "the only solution with a complete trial" if decision.absent else "the only one measured"
    eligible = [one for one in others if one.status != "missed"]
    if not eligible:
        if all(any(one.design for one in other.judgements) for other in others):
            return "the only one designed to keep every acknowledged row"
        if decision.candidate(name).status == "met":
            return "the only one that meets every requirement"
        return "the only one with no observed violation"
    decisive = [step for step in decision.steps if step.out]
    by = [f"{step.measure.noun}{' (interleaved)' if step.interleaved else ''}" for step in decisive]
    rest = ", of those with no violation" if len(eligible) < len(others) else ""
    return f"first by {', then by '.join(by)}{rest}"


def _unmeasured(decision: Decision) -> str:
    """Return the requirements that no trial of the recommended solution measured: they are not met."""
    of = decision.candidate(decision.best[0]).judgements
    open_ = [one.requirement for one in of if one.status == "inconclusive" and not (one.n or one.events)]
    return f"; {quoted(open_)} not measured" if open_ else ""


def _known_preferences(decision: Decision) -> list[str]:
    """Return the nouns of the preferences of which any of the best has a value."""
    best = [decision.candidate(name) for name in decision.best]
    return [
        step.measure.noun
        for step in decision.steps
        if any(one.n for each in best for one in each.values.get(step.measure.name, {}).values())
    ]
