"""Judge sets of timeouts by their outage after a death and by their needless failovers.

The sets of a solution wait longer and longer before a failover. The outage grows with them, and needless
failovers become rarer. So the quickest set with few enough needless failovers is found by bisection, and no
other set can be better: a quicker one fails over needlessly, and a calmer one has a longer outage.

A search tries lengths beyond those that are expected. Events, such as a split brain, count against a set if
they followed a death, or a hiccup that is not longer than 99.9 % of the expected ones; others are reported.

Few trials prove little. A set is *calm* if the median of its needless failovers meets the limit, and *fast*
if no trial speaks against the requirements. The verdicts say what was proven.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.hiccups import PERIODS, Hiccups
from fivenines.analysis.availability.needless_rate import NeedlessRate, needless_rate
from fivenines.analysis.availability.tolerance import Tolerance, tolerances
from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.judging import WORST, Judgement, Status, judge
from fivenines.analysis.measures.condition import Requirement, parse_requirement
from fivenines.analysis.performance.sweeps import Compared
from fivenines.analysis.trials import TrialMeasures
from fivenines.base.units import YEAR
from fivenines.results.records import Manifest

EXAMPLES = "'outage p95 < 10s', 'needless < 1/year', 'lost = 0'"

_NEEDLESS = re.compile(
    r"needless\s*(?P<relation><=|<)\s*(?P<number>\d+(?:\.\d+)?)\s*(?:/\s*|per\s+)(?P<period>\w+)"
)

# Judged even if the user has not required it: no timeout is worth two primaries.
_ALWAYS = "split_brain = 0"


@dataclass(frozen=True)
class Limit:
    """Largest number of needless failovers a year, and the requirement as the user wrote it."""

    per_year: float
    text: str


@dataclass(frozen=True)
class Wanted:
    """Requirements on a set of timeouts: on trials in which the primary dies, and on needless failovers."""

    conditions: tuple[Requirement, ...]
    needless: Limit


@dataclass(frozen=True)
class SetResult:
    """What was measured of one set of timeouts.

    Attributes:
        name: name of its solution in the run.
        deaths: the cell whose primary was killed; None: no trial is complete.
        searches: its searches, by fault.
        judgements: verdicts on the conditions.
        rate: expected needless failovers a year; None: not known.
        limit: largest number of them.
        split_beyond: shortest hiccup with a split brain of those that are longer than expected, in seconds;
            None: there was none.
    """

    name: str
    deaths: CellResult | None
    searches: Mapping[str, Tolerance]
    judgements: tuple[Judgement, ...]
    rate: NeedlessRate | None
    limit: float
    split_beyond: float | None = None

    @property
    def needless(self) -> Status:
        """Return the verdict on needless failovers."""
        if self.rate is None:
            return "inconclusive"
        if self.rate.high <= self.limit:
            return "met"
        return "missed" if self.rate.low > self.limit else "inconclusive"

    @property
    def calm(self) -> bool:
        """Return whether the expected needless failovers are within the limit."""
        return self.rate is not None and self.rate.median <= self.limit

    @property
    def fast(self) -> bool:
        """Return whether no trial speaks against the conditions."""
        return self.deaths is not None and all(_plausible(one) for one in self.judgements)

    @property
    def status(self) -> Status:
        """Return the verdict on all requirements."""
        found = [self.needless, *(one.status for one in self.judgements)]
        return min(found, key=WORST.index)


def parse_wanted(texts: Sequence[str]) -> Wanted:
    """Parse requirements; `outage` stands for `outage_writes`.

    Raises:
        ValueError: one is not a requirement, or the one on needless failovers is missing.
    """
    limits: list[Limit] = []
    conditions: list[Requirement] = []
    for text in texts:
        if match := _NEEDLESS.fullmatch(text.strip()):
            if match["period"] not in PERIODS:
                raise ValueError(f"{text!r}: write one of {', '.join(PERIODS)} as the period")
            limits.append(Limit(float(match["number"]) * YEAR / PERIODS[match["period"]], text.strip()))
        elif re.match(r"needless\b(?!_)", text.strip()):
            raise ValueError(f"{text!r}: write a number a time, as 'needless < 1/year'")
        else:
            conditions.append(parse_requirement(re.sub(r"^\s*outage\b(?!_)", "outage_writes", text)))
    if len(limits) != 1:
        raise ValueError(f"write one requirement on needless failovers, as in {EXAMPLES}")
    return Wanted(tuple(conditions), limits[0])


def judged(
    name: str, swept: Compared, manifest: Manifest, wanted: Wanted, models: Sequence[Hiccups]
) -> SetResult:
    """Judge one set of timeouts by the trials of a run.

    Args:
        name: name of its solution.
        swept: the cells of the run.
        manifest: the run's manifest.
        wanted: the requirements.
        models: the expected hiccups; several may have the same fault.
    """
    deaths = next((cell for cell in swept.cells if cell.key.solution == name and cell.complete), None)
    own = [cell for cell in swept.searched if cell.key.solution == name]
    searches = {_kind(one.cell): one for one in tolerances(own, manifest)}
    trials = deaths.trials if deaths is not None else []
    hit = [
        (trial, any(model.fault == fault and _seconds(trial) <= model.longest() for model in models))
        for fault, one in searches.items()
        for trial in one.cell.trials
    ]
    every = [*trials, *(trial for trial, expected in hit if expected)]
    judgements = [judge(one, every if one.measure.kind == "event" else trials) for one in wanted.conditions]
    no_split = parse_requirement(_ALWAYS)
    if (split := judge(no_split, every)).status == "missed":
        judgements.append(split)
    beyond = [_seconds(trial) for trial, expected in hit if not expected and judge(no_split, [trial]).events]
    known = [(model, searches[model.fault]) for model in models if model.fault in searches]
    rate = None
    if len(known) == len(models):
        rate = needless_rate([(model, one.outcomes, one.design) for model, one in known])
    return SetResult(
        name, deaths, searches, tuple(judgements), rate, wanted.needless.per_year, min(beyond, default=None)
    )


def next_set(calm: Mapping[int, bool], count: int) -> int | None:
    """Return the set to measure next in the search for the quickest calm one; None: it is known.

    Args:
        calm: whether each measured set is calm, by its place among the sets, from the quickest on.
        count: number of sets.
    """
    restless = max((place for place, is_calm in calm.items() if not is_calm), default=-1)
    quickest = min((place for place, is_calm in calm.items() if is_calm and place > restless), default=count)
    return None if quickest - restless <= 1 else (restless + quickest) // 2


def recommended(found: Sequence[SetResult], given: SetResult) -> SetResult | None:
    """Return the set with the shortest outage of those that meet the requirements; None: none does.

    The given settings are preferred where their mean outage lies within the interval of the other set.
    """
    fitting = [one for one in (given, *found) if one.calm and one.fast and one.status != "missed"]
    if not fitting:
        return None
    best = min(fitting, key=_mean)
    return given if given in fitting and _within(_mean(given), best) else best


def _mean(one: SetResult) -> float:
    mean = one.deaths.writes.summary.mean if one.deaths is not None else None
    return float("inf") if mean is None else mean


def _within(mean: float, best: SetResult) -> bool:
    high = best.deaths.writes.summary.ci_high if best.deaths is not None else None
    return high is None or mean <= high


def _plausible(one: Judgement) -> bool:
    """Return whether the trials' own figures are within the limit, whether or not that proves it."""
    if one.status != "inconclusive":
        return one.status == "met"
    if one.requirement.percentile is not None or one.requirement.measure.kind == "event":
        return one.n > 0 and one.events == 0
    mean = one.summary.mean if one.summary is not None else None
    if mean is None:
        return False
    return mean <= one.requirement.limit if one.requirement.below else mean >= one.requirement.limit


def _seconds(trial: TrialMeasures) -> float:
    """Return the length of a trial's hiccup; infinite if it is not known."""
    response = trial.response
    return float("inf") if response is None or response.hiccup_ms is None else response.hiccup_ms / 1000


def _kind(cell: CellResult) -> str:
    """Return the kind of the fault of a cell."""
    kinds = [fault.kind for trial in cell.trials for fault in trial.record.faults]
    return kinds[0] if kinds else cell.key.fault
