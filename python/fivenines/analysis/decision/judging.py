"""Whether trials show that a need is met, that it is missed, or neither.

    a mean      met or missed when its whole 95 % interval lies on one side of the limit (Student's t); lower
                bounds among the values prove "missed" and never "met"
    a percentile  of the trials: by the share of trials beyond the limit, with its interval
    an event    `lost = 0` is missed by one trial that has it, and met when more than 10 % of trials can be
                excluded, which takes 29 of them; `lost <= 5%` by the interval of the share

Source of the intervals of shares: Clopper and Pearson, Biometrika 26 (1934) 404.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy import special

from fivenines.analysis.measured import seen_in, summary_of, values_of
from fivenines.analysis.statistics import CONFIDENCE, EQUAL, Summary, student_t
from fivenines.analysis.trials import TrialMeasures
from fivenines.requirements.condition import Requirement

# `inconclusive`: the trials tell neither; or it was not measured.
Status = Literal["met", "missed", "inconclusive"]

# More trials than this are nobody's plan.
_MANY = 1000

# Of several verdicts on one need the first of these is that of all.
WORST: tuple[Status, ...] = ("missed", "inconclusive", "met")


@dataclass(frozen=True)
class Judgement:
    """What trials say of a need.

    Attributes:
        need: what was asked.
        status: met, missed, or not told.
        n: trials in which it was measured.
        events: trials that have the event, or that lie beyond the limit of a percentile.
        summary: the values of a mean; None for all else.
        number: of a solution, for what is no matter of trials.
        bound: the largest share of trials that cannot be excluded; None for a mean or a number.
        more: further trials that would probably tell it; None: told already, or nobody knows.
        where: which of several faults or conditions it is about; empty: the only one.
    """

    requirement: Requirement
    status: Status
    n: int = 0
    events: int = 0
    summary: Summary | None = None
    number: float | None = None
    bound: float | None = None
    more: int | None = None
    where: str = ""


def judge(requirement: Requirement, trials: Sequence[TrialMeasures], where: str = "") -> Judgement:
    """Judge a need of trials alike; one that is a number of a solution is for `judge_number`."""
    if requirement.measure.kind == "event":
        seen = seen_in(requirement.measure.name, trials)
        return _share(requirement, len(seen), sum(seen), where)
    if requirement.percentile is None:
        return _mean(requirement, summary_of(requirement.measure.name, trials), where)
    values = [item for item in values_of(requirement.measure.name, trials) if item is not None]
    # a lower bound that is within the limit may still be beyond it: it proves nothing for "met"
    beyond = sum(bound or not _holds(requirement, value) for value, bound in values)
    certain = sum(not _holds(requirement, value) for value, _ in values)
    return _percentile(requirement, len(values), beyond, certain, where)


def judge_number(requirement: Requirement, number: float | None) -> Judgement:
    """Judge what is known of a solution without any trial's chance, as its number of hosts."""
    if number is None:
        return Judgement(requirement, "inconclusive")
    return Judgement(requirement, "met" if _holds(requirement, number) else "missed", number=number)


def worst(judgements: Sequence[Judgement]) -> Judgement:
    """Return the one that decides of all strata of a need; there is at least one."""
    return min(judgements, key=lambda item: (WORST.index(item.status), -item.events))


def share_bounds(events: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the interval of a share (Clopper-Pearson); one-sided where no trial, or every one, has the
    event.
    """
    if not n:
        return 0.0, 1.0
    tail = 1 - confidence if events in (0, n) else (1 - confidence) / 2
    low = 0.0 if events == 0 else float(special.betaincinv(events, n - events + 1, tail))
    high = 1.0 if events == n else float(special.betaincinv(events + 1, n - events, 1 - tail))
    return low, high


def trials_without(share: float, confidence: float = CONFIDENCE) -> int:
    """Return how many trials without an event exclude that more than this share has it; 29 for a tenth."""
    return math.ceil(math.log(1 - confidence) / math.log1p(-share)) if 0 < share < 1 else 0


def _holds(requirement: Requirement, value: float) -> bool:
    return {
        "<": value < requirement.limit,
        "<=": value <= requirement.limit,
        ">": value > requirement.limit,
        ">=": value >= requirement.limit,
        "=": value == requirement.limit,
    }[requirement.relation]


def _mean(requirement: Requirement, summary: Summary, where: str) -> Judgement:
    low, high = summary.ci_low, summary.ci_high
    against, for_it = (low, high) if requirement.below else (high, low)
    status: Status = "inconclusive"
    # a few equal values have no spread, and prove nothing
    if not summary.sd and summary.n < EQUAL:
        status = "inconclusive"
    elif for_it is not None and _holds(requirement, for_it):
        status = "met"
    elif against is not None and not _holds(requirement, against):
        status = "missed"
    more = _trials_for_mean(requirement, summary) if status == "inconclusive" else None
    return Judgement(requirement, status, summary.n, summary=summary, more=more, where=where)


def _trials_for_mean(requirement: Requirement, summary: Summary) -> int | None:
    """So many more that the interval of a mean as seen would end at the limit; None: nobody knows."""
    if summary.sd is None or summary.mean is None or summary.bounds:
        return None
    distance, sd, have = abs(summary.mean - requirement.limit), summary.sd, summary.n
    few = range(have + 1, have + _MANY)
    enough = (n for n in few if student_t(n - 1) * sd / math.sqrt(n) < distance)
    expected = next(enough, None)
    return None if expected is None else expected - have


def _share(requirement: Requirement, n: int, events: int, where: str) -> Judgement:
    low, high = share_bounds(events, n)
    status: Status = "inconclusive"
    if (requirement.relation == "=" and events) or (n and low > requirement.limit):
        status = "missed"
    elif n and high <= requirement.limit:
        status = "met"
    more = None
    if status == "inconclusive" and n and not events:
        more = max(1, trials_without(requirement.limit) - n)
    return Judgement(requirement, status, n, events, bound=high, more=more, where=where)


def _percentile(requirement: Requirement, n: int, beyond: int, certain: int, where: str) -> Judgement:
    allowed = 1 - (requirement.percentile or 0.0)
    if not requirement.below:
        allowed = requirement.percentile or 0.0
    low, _ = share_bounds(certain, n)
    _, high = share_bounds(beyond, n)
    status: Status = "inconclusive"
    if n and low > allowed:
        status = "missed"
    elif n and high <= allowed:
        status = "met"
    more = max(1, trials_without(allowed) - n) if status == "inconclusive" and n and not beyond else None
    return Judgement(requirement, status, n, certain, bound=high, more=more, where=where)
