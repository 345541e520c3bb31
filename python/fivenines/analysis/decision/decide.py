"""Decision for a solution: requirements first, then preferences, for each condition that is known in advance.

Requirements are gates. A solution that misses one is excluded; one with inconclusive requirements stays, with
a mark. A solution whose design excludes a requirement misses it, whatever a few trials have shown. Of the
others the first preference keeps all that may be the best (`best_set`), of these the next preference, and so
on: the remaining ones are not shown to differ by more than the margin. All preferences together find a
difference where there is none with at most 5 % (Bonferroni). Measures from before a fault use the trials
of all faults; for measures of a fault, each fault is a stratum, as the next fault is unknown. Over several
strata solutions are compared by the geometric mean of the ratios of their means (`best_case.mean_ratio`).
Blocks of the run, if any, compare the throughput, as they show smaller differences.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.best_set import best_set
from fivenines.analysis.decision.candidates import Candidate, candidate, only_measured, pareto_front
from fivenines.analysis.decision.comparing import Comparer, comparer
from fivenines.analysis.decision.material import Material
from fivenines.analysis.measures.cases import CaseSettings
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.measures.measures import MEASURES, Measure
from fivenines.analysis.statistics.means import CONFIDENCE, Difference
from fivenines.analysis.statistics.power import trials_for

# Maximum number of trials that is worth a plan.
_MOST = 1000


@dataclass(frozen=True)
class Step:
    """A preference: candidates that may be the best, and excluded ones with the better candidate and
    difference.
    """

    measure: Measure
    kept: list[str]
    out: dict[str, tuple[str, Difference]]
    # Whether blocks compared them.
    interleaved: bool = False


@dataclass(frozen=True)
class Cost:
    """What the requirements cost: `difference` compares the best with a solution that misses one."""

    excluded: str
    measure: Measure
    difference: Difference
    # Whether blocks compared them.
    interleaved: bool


@dataclass(frozen=True)
class Decision:
    """The decision for one condition.

    Attributes:
        condition: the values of the axes, as `{"connections": "8"}`, or `{"case": NAME}`; empty if the run
            has one condition.
        candidates: all solutions, in the order of the experiment.
        best: the remaining solutions, which are not shown to differ; empty if each misses a requirement.
        steps: the preferences in order, as far as they were applied.
        price: comparison of each solution that a preference excluded with the first of the best, by that
            preference.
        more: trials of each that would probably show a difference of the first two of the best; None:
            unknown.
        absent: solutions of the condition without a complete trial.
        front: Pareto front by mean speed, outage and price.
        cost: what the requirements cost, by the first preference that shows it; None: nothing was shown.
        margin: smallest share by which a preference decides.
        interleaved: whether blocks compare the throughput; the means of single trials are then less exact.
        unmeasured: why there is nothing to decide on in this case; empty otherwise.
    """

    condition: dict[str, str]
    candidates: list[Candidate]
    best: list[str]
    steps: list[Step]
    price: dict[str, tuple[Measure, Difference]] = field(default_factory=dict)
    more: int | None = None
    absent: list[str] = field(default_factory=list)
    front: list[str] = field(default_factory=list)
    cost: Cost | None = None
    margin: float = 0.0
    interleaved: bool = False
    unmeasured: str = ""

    def candidate(self, name: str) -> Candidate:
        """Return the candidate of this name."""
        return next(item for item in self.candidates if item.name == name)


def decisions(material: Material, settings: DecideSettings) -> list[Decision]:
    """Return a decision for each case; without cases, for each condition in which a trial is complete."""
    if settings.cases:
        return [_case(case, material, settings) for case in settings.cases]
    done = [cell for cell in material.cells if cell.complete]
    varying = [axis for axis in settings.by if len({getattr(c.key, axis) for c in done}) > 1]
    groups: dict[tuple[str, ...], list[CellResult]] = {}
    for cell in material.cells:
        groups.setdefault(tuple(str(getattr(cell.key, axis)) for axis in varying), []).append(cell)
    return [
        _decision(dict(zip(varying, values, strict=True)), members, settings, material)
        for values, members in groups.items()
        if any(cell.complete for cell in members)
    ]


# The axis of a decision on a case.
CASE = "case"


def _case(case: CaseSettings, material: Material, settings: DecideSettings) -> Decision:
    cells = material.of(case)
    condition = {CASE: case.name}
    if not any(cell.complete for cell in cells):
        reason = "no complete trial" if cells else "no trial"
        asked = f" with {case.asked}" if case.asked else ""
        return Decision(condition, [], [], [], unmeasured=f"{reason}{asked}")
    decision = _decision(condition, cells, settings.of_case(case), material)
    names = {cell.key.solution for cell in cells}
    return replace(decision, absent=[*decision.absent, *(name for name in case.named if name not in names)])


def _decision(
    condition: dict[str, str], cells: Sequence[CellResult], settings: DecideSettings, material: Material
) -> Decision:
    done = [cell for cell in cells if cell.complete]
    names = list(dict.fromkeys(cell.key.solution for cell in done))
    absent = [name for name in dict.fromkeys(cell.key.solution for cell in cells) if name not in names]
    candidates = [
        candidate(name, done, settings, material.prices, material.every, material.mtbf) for name in names
    ]
    if settings.default_requirements:
        candidates = only_measured(candidates)
    by_name = {item.name: item for item in candidates}

    def compared(measure: Measure) -> Comparer | None:
        return comparer(measure, by_name, material.blocks, done)

    by_blocks = compared(MEASURES["tps"])
    found = decide_among(candidates, settings, compared, condition, absent)
    return replace(found, interleaved=by_blocks is not None and by_blocks.interleaved)


def decide_among(
    candidates: Sequence[Candidate],
    settings: DecideSettings,
    compared: Callable[[Measure], Comparer | None],
    condition: dict[str, str],
    absent: Sequence[str] = (),
) -> Decision:
    """Return the decision among candidates whose requirements are judged.

    Args:
        candidates: all solutions of the condition with a complete trial.
        settings: preferences and margin.
        compared: the comparison of candidates by a measure; None: its values mean nothing here.
        condition: the values of the axes.
        absent: solutions without a complete trial.
    """
    by_name = {item.name: item for item in candidates}
    eligible = [item for item in candidates if item.status != "missed"]
    left, steps = [item.name for item in eligible], []
    # Preferences that are tried one after another must not find a difference by their number.
    confidence = 1 - (1 - CONFIDENCE) / len(settings.prefer)
    for preference in settings.prefer:
        measure = MEASURES[preference]
        how = compared(measure)
        if len(left) < 2 or how is None:
            continue
        result = best_set(
            left, how.against, more=bool(measure.more), confidence=confidence, margin=settings.margin
        )
        steps.append(Step(measure, result.kept, result.out, how.interleaved))
        left = result.kept
    best = sorted(left, key=lambda name: _rank(by_name[name], settings.prefer))
    price = _prices(best, steps, compared)
    more = _more(best, by_name, steps, settings.margin) if len(best) > 1 else None
    excluded = [item.name for item in candidates if item.status == "missed"]
    cost = _cost(best, excluded, settings, compared)
    front = pareto_front(eligible)
    return Decision(
        condition,
        list(candidates),
        best,
        steps,
        price,
        more,
        list(absent),
        front,
        cost,
        margin=settings.margin,
    )


def _cost(
    best: Sequence[str],
    excluded: Sequence[str],
    settings: DecideSettings,
    compared: Callable[[Measure], Comparer | None],
) -> Cost | None:
    """Return what the requirements cost, against the excluded solution that is furthest ahead."""
    for preference in settings.prefer if best else []:
        measure = MEASURES[preference]
        how = compared(measure)
        if how is None:
            continue
        against = [(name, how.against(best[0], name, CONFIDENCE)) for name in excluded]
        ahead = [
            Cost(name, measure, found, how.interleaved)
            for name, found in against
            if found is not None and found.differs and ((found.absolute or 0.0) < 0) == bool(measure.more)
        ]
        if ahead:
            return max(ahead, key=lambda item: abs(item.difference.absolute or 0.0))
    return None


def _rank(candidate: Candidate, prefer: Sequence[str]) -> tuple[float, ...]:
    """Return a sort key with the best first, by the means."""
    result = []
    for name in prefer:
        mean = candidate.mean(name)
        sign = -1.0 if MEASURES[name].more else 1.0
        result.append(math.inf if mean is None else sign * mean)
    return tuple(result)


def _prices(
    best: Sequence[str], steps: Sequence[Step], compared: Callable[[Measure], Comparer | None]
) -> dict[str, tuple[Measure, Difference]]:
    """Return the loss from choosing a solution that a preference excluded."""
    result: dict[str, tuple[Measure, Difference]] = {}
    for step in steps:
        how = compared(step.measure)
        for name in step.out:
            against = how.against(name, best[0], CONFIDENCE) if how else None
            if against is not None and against.differs:
                result[name] = (step.measure, against)
    return result


def _more(
    best: Sequence[str], candidates: Mapping[str, Candidate], steps: Sequence[Step], margin: float
) -> int | None:
    """Return the trials of each that would probably show that the first two of the best differ enough."""
    result = []
    for step in steps:
        first, second = (candidates[name].values.get(step.measure.name, {}) for name in best[:2])
        common = [at for at in first if at in second]
        if len(common) != 1 or step.interleaved:
            continue
        a, b = first[common[0]], second[common[0]]
        spreads = [item.cov for item in (a, b) if item.cov]
        if not a.mean or not b.mean or not spreads or a.bounds or b.bounds:
            continue
        beyond = max(a.mean, b.mean) / min(a.mean, b.mean) - 1 - margin
        expected = trials_for(beyond, max(spreads)) if beyond > 0 else None
        if expected is not None and min(a.n, b.n) < expected <= _MOST:
            result.append(expected)
    return min(result, default=None)
