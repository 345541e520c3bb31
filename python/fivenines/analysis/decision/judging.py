"""Verdicts on requirements by trials: met, not met, or inconclusive.

    a mean      met or missed when its whole 95 % interval lies on one side of the limit (Student's t); lower
                bounds among the values prove "missed" and never "met"
    a percentile  of the trials: by the share of trials beyond the limit, with its interval
    an event    `lost = 0` is missed by one trial that has it, and met when the upper bound of its share is 10
    %,
                which takes 29 trials without it; `lost <= 5%` by the interval of the share

Each death in turn counts like a trial for shares and percentiles; a mean is that of the trials' means, see
`analysis.availability.deaths_in_turn`.

Source of the intervals of shares: Clopper and Pearson, Biometrika 26 (1934) 404.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scipy import special

from fivenines.analysis.availability.nines import Bound, Estimate
from fivenines.analysis.measured import Draws, draws_of, summary_of
from fivenines.analysis.measures.condition import Requirement
from fivenines.analysis.statistics.means import CONFIDENCE, Summary, student_t
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import NOTHING, count, percent

# `inconclusive`: the trials show neither, or did not measure it.
Status = Literal["met", "missed", "inconclusive"]

# Maximum number of trials that is worth a plan.
_MANY = 1000

# The combined verdict of several is the first of these that occurs.
WORST: tuple[Status, ...] = ("missed", "inconclusive", "met")


@dataclass(frozen=True)
class Judgement:
    """Verdict on a requirement.

    Attributes:
        requirement: the requirement.
        status: met, missed, or inconclusive.
        n: number of trials, or of faults in turn, that measured it.
        events: those with the event, or beyond the limit of a percentile.
        summary: summary of a mean; None otherwise.
        number: number of a solution that does not vary between trials.
        bound: upper bound of the share with the event; None for a mean or a number.
        more: further trials that would probably decide it; None: decided, or unknown.
        where: the fault or condition, if there are several.
        design: why the solution's design excludes it, according to its manual; empty: it does not.
        broken: ids of trials that contradict the solution's design.
        estimate: an availability, as a fraction; None for other measures.
        limit_of: the direction of an estimate that is a bound.
        missing: what an estimate leaves out, in words.
        trials: number of trials that measured it; fewer than `n` if they have faults in turn.
        unit: what `n` counts: "trial", or the fault in turn, as "death".
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
    design: str = ""
    broken: tuple[str, ...] = ()
    estimate: Estimate | None = None
    limit_of: Bound = ""
    missing: tuple[str, ...] = ()
    trials: int = 0
    unit: str = "trial"

    @property
    def counted(self) -> str:
        """Return the number of trials as a text; of faults in turn, with that of their clusters."""
        clusters = "" if self.unit == "trial" else f" of {count(self.trials, 'cluster')}"
        return f"{count(self.n, self.unit)}{clusters}"

    @property
    def enough(self) -> int | None:
        """Return the number of trials that would probably decide it; None: decided, or unknown."""
        return None if self.more is None else self.trials + self.more


def judge(requirement: Requirement, trials: Sequence[TrialMeasures], where: str = "") -> Judgement:
    """Judge a requirement by trials of one stratum; for numbers of a solution see `judge_number`."""
    name = requirement.measure.name
    if requirement.measure.kind == "event":
        return _share(requirement, draws_of(name, trials), where)
    if requirement.percentile is None:
        return _mean(requirement, summary_of(name, trials), where)
    return _percentile(requirement, draws_of(name, trials), where)


def judge_number(requirement: Requirement, number: float | None) -> Judgement:
    """Judge a number of a solution that does not vary between trials, as its number of hosts."""
    if number is None:
        return Judgement(requirement, "inconclusive")
    return Judgement(requirement, "met" if _holds(requirement, number) else "missed", number=number)


def worst(judgements: Sequence[Judgement]) -> Judgement:
    """Return the deciding verdict of a requirement's strata, of which there is at least one."""
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


def share_text(events: int, n: int) -> str:
    """Return the interval of a share as a text: "3.7 to 71 %"; a dash without any trial."""
    if not n:
        return NOTHING
    low, high = share_bounds(events, n)
    return f"{percent(100 * low)} to {percent(100 * high)} %"


def trials_without(share: float, confidence: float = CONFIDENCE) -> int:
    """Return the trials without an event for which the upper bound of its share is `share`; 29 for a
    tenth.
    """
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
    # A few equal values have no spread, and prove nothing.
    if summary.sd is None or summary.few_equal:
        status = "inconclusive"
    elif for_it is not None and _holds(requirement, for_it):
        status = "met"
    elif against is not None and not _holds(requirement, against):
        status = "missed"
    more = _trials_for_mean(requirement, summary) if status == "inconclusive" else None
    return Judgement(
        requirement, status, summary.n, summary=summary, more=more, where=where, trials=summary.n
    )


def _trials_for_mean(requirement: Requirement, summary: Summary) -> int | None:
    """Return the further trials with which the mean's interval would end at the limit; None: unknown."""
    if summary.sd is None or summary.mean is None or summary.bounds:
        return None
    distance, sd, have = abs(summary.mean - requirement.limit), summary.sd, summary.n
    few = range(have + 1, have + _MANY)
    enough = (n for n in few if student_t(n - 1) * sd / math.sqrt(n) < distance)
    expected = next(enough, None)
    return None if expected is None else expected - have


def _share(requirement: Requirement, draws: Draws, where: str) -> Judgement:
    n, events = len(draws.values), sum(value > 0 for value, _ in draws.values)
    low, high = share_bounds(events, n)
    status: Status = "inconclusive"
    if (requirement.relation == "=" and events) or (n and low > requirement.limit):
        status = "missed"
    elif n and high <= requirement.limit:
        status = "met"
    more = _more_trials(draws, requirement.limit) if status == "inconclusive" and not events else None
    return _of_draws(draws, Judgement(requirement, status, n, events, bound=high, more=more, where=where))


def _percentile(requirement: Requirement, draws: Draws, where: str) -> Judgement:
    n = len(draws.values)
    # The true value of a lower bound within the limit may be beyond it, so it is no evidence for "met".
    beyond = sum(bound or not _holds(requirement, value) for value, bound in draws.values)
    certain = sum(not _holds(requirement, value) for value, _ in draws.values)
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
    more = _more_trials(draws, allowed) if status == "inconclusive" and not beyond else None
    return _of_draws(draws, Judgement(requirement, status, n, certain, bound=high, more=more, where=where))


def _of_draws(draws: Draws, judgement: Judgement) -> Judgement:
    return replace(judgement, trials=draws.trials, unit=draws.unit)


def _more_trials(draws: Draws, share: float) -> int | None:
    """Return the further trials without an event that would show a share to be smaller; None without any."""
    if not draws.trials:
        return None
    missing = trials_without(share) - len(draws.values)
    return max(1, math.ceil(missing * draws.trials / len(draws.values)))
