"""Put the evidence for a decision into words: verdicts on requirements, comparisons, and missing trials."""

import math
from collections.abc import Sequence

from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.decision.decide import Decision
from fivenines.analysis.decision.judging import Judgement, Status
from fivenines.analysis.measures.condition import Requirement
from fivenines.analysis.measures.measures import Measure
from fivenines.analysis.statistics.means import Difference
from fivenines.analysis.wording import (
    NOTHING,
    at_least,
    count,
    listed,
    mean_of_measure,
    milliseconds,
    number,
    percent,
)
from fivenines.report.sentences.requirement_words import quoted

# Verdicts are shown by a shape and a word, never by colour alone.
MARKS: dict[Status, str] = {"met": "✓", "missed": "✗", "inconclusive": "?"}
WORDS: dict[Status, str] = {"met": "met", "missed": "not met", "inconclusive": "inconclusive"}

BY_DESIGN = "may lose acknowledged rows by design"


def continued(trials: int) -> str:
    """Return the command that adds trials to a run until each cell has this number."""
    return f"fivenines run FILE --resume --trials {trials}"


def reasons(decision: Decision) -> list[str]:
    """Return sentences on unmet and inconclusive requirements and on the cost of the alternatives."""
    found = [missed_text(one) for one in decision.candidates if one.status == "missed"]
    found += [f"{name} has no complete trial." for name in decision.absent]
    found += [instead(decision, name) for name in decision.price]
    return found + _inconclusive(decision)


def instead(decision: Decision, name: str) -> str:
    """ "slow instead of quick: 41 % fewer transactions per second (35 to 47 %)." """
    measure, difference = decision.price[name]
    blocks = {step.measure.name for step in decision.steps if step.interleaved}
    best = decision.candidate(decision.best[0]).called
    return (
        f"{decision.candidate(name).called} instead of {best}: {compared_text(measure, difference)}"
        f"{', interleaved' if measure.name in blocks else ''}."
    )


def mark(judgement: Judgement) -> str:
    """Return the verdict on a requirement for a cell of a table: "✗ not met (3 of 3 failed)".

    For an event it says "failed": the head names what must be true, the number counts the trials that failed.
    """
    word, text = f"{MARKS[judgement.status]} {WORDS[judgement.status]}", evidence(judgement)
    if judgement.design:
        # What the trials saw stands in the sentence; the table has no room for both.
        return f"{word} (by design)"
    estimated = judgement.requirement.measure.kind == "estimate"
    if judgement.n and judgement.summary is None and judgement.number is None and not estimated:
        failed = "" if judgement.requirement.percentile is not None else " failed"
        each = str(judgement.n) if judgement.unit == "trial" else count(judgement.n, judgement.unit)
        text = _events(judgement, f"{each}{failed}")
    # The evidence may have brackets already.
    return f"{word}: {text}" if "(" in text else f"{word} ({text})"


def short(judgement: Judgement) -> str:
    """Return the verdict for a narrow table: "✗ 3 of 3", "✗ by design"."""
    if judgement.design:
        return f"{MARKS[judgement.status]} by design"
    if judgement.requirement.measure.kind == "estimate":
        known = judgement.estimate
        return f"{MARKS[judgement.status]} {share_text(known.value) if known else 'not measured'}"
    if judgement.summary is None and judgement.n:
        return f"{MARKS[judgement.status]} {judgement.events} of {judgement.n}"
    return f"{MARKS[judgement.status]} {evidence(judgement)}"


def evidence(judgement: Judgement) -> str:
    """Return the evidence, short."""
    requirement = judgement.requirement
    if judgement.number is not None:
        return number(judgement.number)
    if requirement.measure.kind == "estimate":
        return _estimate(judgement)
    if not judgement.n:
        return "not measured"
    if judgement.summary is not None:
        text = mean_of_measure(judgement.summary, requirement.measure)
        single = " in 1 trial" if judgement.n == 1 else ""
        return f"{text}{single}{_where(judgement)}"
    return _events(judgement, judgement.counted)


def _estimate(judgement: Judgement) -> str:
    """ "99.991 % (99.989 to 99.993 %)", "at most 99.9 %", or "not measured (no outage by power-loss)"."""
    known = judgement.estimate
    without = ", ".join(judgement.missing)
    if known is None:
        return f"not measured ({without})" if without else "not measured"
    text = share_text(known.value)
    if judgement.limit_of:
        text = f"{judgement.limit_of} {text}"
    elif known.low is not None and known.high is not None:
        text = f"{text} ({share_text(known.low)} to {share_text(known.high)})"
    return f"{text}; {without}" if without else text


def share_text(share: float) -> str:
    """Return an availability with two digits behind its nines: "99.9914 %"."""
    if not 0.0 < share < 1.0:
        return f"{100 * share:.0f} %"
    digits = min(12, max(1, math.floor(round(-math.log10(1 - share), 9))))
    return f"{100 * share:.{digits}f} %"


def _events(judgement: Judgement, trials: str) -> str:
    beyond = " beyond" if judgement.requirement.percentile is not None else ""
    return f"{judgement.events} of {trials}{beyond}{_where(judgement)}"


def _where(judgement: Judgement) -> str:
    return f", {judgement.where}" if judgement.where else ""


def missed_text(candidate: Candidate) -> str:
    """ "b does not meet 1 requirement: acknowledged rows lost in 3 of 3 trials (lost = 0)." """
    n = sum(one.status == "missed" for one in candidate.judgements)
    design = next((one for one in candidate.judgements if one.design), None)
    if design is not None and n == 1:
        return f"{candidate.called} {of_design(design)}."
    return f"{candidate.called} does not meet {count(n, 'requirement')}: {failures(candidate)}."


def of_design(judgement: Judgement) -> str:
    """ "may lose acknowledged rows by design (a commit waits for no replica), not seen in 3 trials"."""
    seen = "not measured"
    if judgement.n:
        of = judgement.counted
        seen = f"{judgement.events} of {of} lost some" if judgement.events else f"not seen in {of}"
    return f"{BY_DESIGN} ({judgement.design}), {seen}"


def failures(candidate: Candidate) -> str:
    """Return each failed requirement with its evidence and exact condition."""
    return listed(
        [
            f"it {of_design(one)}"
            if one.design
            else f"{one.requirement.measure.noun} {at(one)} ({one.requirement.text})"
            for one in candidate.judgements
            if one.status == "missed"
        ]
    )


def at(judgement: Judgement) -> str:
    """Return the evidence as it follows the noun of its measure."""
    if judgement.requirement.percentile is not None:
        return f"beyond the limit in {evidence(judgement).replace(' beyond', '')}"
    estimated = judgement.requirement.measure.kind == "estimate"
    events = judgement.summary is None and judgement.number is None and not estimated
    return f"in {evidence(judgement)}" if events else evidence(judgement)


def compared_text(measure: Measure, difference: Difference) -> str:
    """ "41 % fewer transactions per second (35 to 47 %)"."""
    if measure.kind == "number":
        a, b = difference.a.mean or 0.0, difference.b.mean or 0.0
        return f"{measure.noun} {number(a)} instead of {number(b)}"
    ratio, low, high = difference.ratio, difference.ratio_low, difference.ratio_high
    if ratio is None or low is None or high is None:
        if low is not None and low > 1:
            much = "long" if measure.milli else "much"
            return f"{measure.noun} at least {number(low)} times as {much}"
        sign = "more" if (difference.absolute or 0.0) > 0 else "less"
        return f"{sign} {measure.noun}"
    if ratio >= 2:
        return f"{number(ratio)} times the {measure.noun} ({number(low)} to {number(high)})"
    more = ratio > 1
    words = measure.words
    ends = sorted(abs(100 * (end - 1)) for end in (low, high))
    size = f"{percent(abs(100 * (ratio - 1)))} %"
    span = f"({percent(ends[0])} to {percent(ends[1])} %)"
    if measure.kind == "rate":
        return f"{size} {words[more]} {measure.noun} {span}"
    return f"{measure.noun} {size} {words[more]} {span}"


def _inconclusive(decision: Decision) -> list[str]:
    """Return the inconclusive requirements of candidates without a failure, grouped by reason."""
    open_requirements: dict[str, list[Judgement]] = {}
    for one in decision.candidates:
        for judgement in one.judgements if one.status != "missed" else []:
            if judgement.status == "inconclusive":
                open_requirements.setdefault(judgement.requirement.text, []).append(judgement)
    alike: dict[str, list[Requirement]] = {}
    for judgements in open_requirements.values():
        alike.setdefault(_open(judgements), []).append(judgements[0].requirement)
    return [
        f"{quoted(requirements)} {'is' if len(requirements) == 1 else 'are'} inconclusive{why}."
        for why, requirements in alike.items()
    ]


def _open(judgements: Sequence[Judgement]) -> str:
    """Return why a requirement is inconclusive, and how many more trials would decide it."""
    known = [one for one in judgements if one.n]
    if any(one.missing for one in judgements) or not known:
        return f": {listed(list(dict.fromkeys(evidence(one) for one in judgements)))}"
    fewest = min(known, key=lambda one: one.n)
    bound = max((one.bound for one in judgements if one.bound is not None), default=None)
    if bound is None or any(one.events for one in judgements):
        return f" after {fewest.counted} of each{more_trials(judgements)}"
    return (
        f": no failure in {fewest.counted} of each, but up to {percent(100 * bound)} % of {fewest.unit}s "
        f"may fail (95 % upper bound){more_trials(judgements)}"
    )


def more_trials(judgements: Sequence[Judgement]) -> str:
    """Return how many more trials would decide a requirement, and the command; "" if that is not known."""
    more = max((one.more for one in judgements if one.more is not None), default=None)
    if more is None:
        return ""
    whole = max(one.enough for one in judgements if one.enough is not None)
    return f"; about {count(more, 'more trial')} of each would decide ({continued(whole)})"


def left_out(judgements: Sequence[Judgement]) -> str:
    """Return why an estimate is open: ": no outage by partition"; "" if nothing is missing."""
    missing = list(dict.fromkeys(text for one in judgements for text in one.missing))
    return f": {listed(missing)}" if missing else ""


def value_text(candidate: Candidate, measure: Measure) -> str:
    """Return a candidate's mean with its interval; over several strata, the geometric mean alone."""
    strata = list(candidate.values.get(measure.name, {}).values())
    if len(strata) == 1:
        return mean_of_measure(strata[0], measure)
    mean = candidate.mean(measure.name)
    if mean is None:
        return NOTHING
    text = milliseconds(mean) if measure.milli else number(mean)
    return at_least(text, sum(one.bounds for one in strata), sum(one.n for one in strata))
