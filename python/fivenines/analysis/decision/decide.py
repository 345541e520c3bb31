"""Whom to take: needs first, then the preferences, for each condition that one can know beforehand.

Needs are gates. Who misses one is out; who is not told to meet all stays, and is marked. Of those left the
first preference keeps all that may be the best (`best_set`), of these the next one, and so on: who remains
cannot be told apart. Measures from before a fault have the trials of all faults together; of a measure of a
fault each fault is a stratum, as nobody knows the next one. Over several strata solutions are compared by the
geometric mean of the ratios of their means (`best_case.mean_ratio`). Where the run has blocks, these compare
the throughput, as they tell smaller differences.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fivenines.analysis.cells import CellResult
from fivenines.analysis.cost import Prices
from fivenines.analysis.decision.best_set import best_set
from fivenines.analysis.decision.candidates import Candidate, candidate, only_measured, pareto_front
from fivenines.analysis.decision.comparing import comparer
from fivenines.analysis.interleaved import InterleavedResult
from fivenines.analysis.power import trials_for
from fivenines.analysis.statistics import CONFIDENCE, Difference
from fivenines.requirements.decide import DecideSettings
from fivenines.requirements.measures import MEASURES, Measure

_MOST = 1000
"""More trials than this are nobody's plan."""


@dataclass(frozen=True)
class Step:
    """One preference: who may be the best by it, and who is out, by whom and by how much."""

    measure: Measure
    kept: list[str]
    out: dict[str, tuple[str, Difference]]
    interleaved: bool = False
    """Whether they were compared side by side."""


@dataclass(frozen=True)
class Decision:
    """What follows for one condition.

    Attributes:
        condition: the values of the axes, as `{"connections": "8"}`; empty if the run has one condition.
        candidates: all solutions, in the order of the experiment.
        best: those that cannot be told apart at the end; empty if every one misses a need.
        steps: the preferences in turn, as far as they were asked.
        price: how each one that a preference left out compares with the first of the best, by that
            preference.
        more: trials of each that would probably tell the first two of the best apart; None: nobody knows.
        absent: solutions of the condition of which no trial is complete.
        front: those whom no other one beats in speed, outage and price at once, by their means.
    """

    condition: dict[str, str]
    candidates: list[Candidate]
    best: list[str]
    steps: list[Step]
    price: dict[str, tuple[Measure, Difference]] = field(default_factory=dict)
    more: int | None = None
    absent: list[str] = field(default_factory=list)
    front: list[str] = field(default_factory=list)

    def candidate(self, name: str) -> Candidate:
        """The candidate of this name."""
        return next(one for one in self.candidates if one.name == name)


def decisions(
    cells: Sequence[CellResult],
    settings: DecideSettings,
    prices: Prices | None = None,
    blocks: Sequence[InterleavedResult] = (),
    every: Sequence[CellResult] = (),
) -> list[Decision]:
    """A decision for each condition in which at least one trial is complete.

    Args:
        cells: of the run, swept solutions as their best case.
        settings: needs, preferences, and the axes that a decision may depend on.
        prices: of hosts, if the experiment has any.
        blocks: the comparisons side by side, if the run has any.
        every: all cells of the run, those of all variants included.
    """
    done = [cell for cell in cells if cell.complete]
    varying = [axis for axis in settings.by if len({getattr(c.key, axis) for c in done}) > 1]
    groups: dict[tuple[str, ...], list[CellResult]] = {}
    for cell in cells:
        groups.setdefault(tuple(str(getattr(cell.key, axis)) for axis in varying), []).append(cell)
    return [
        _decision(dict(zip(varying, values, strict=True)), members, settings, _Known(prices, blocks, every))
        for values, members in groups.items()
        if any(cell.complete for cell in members)
    ]


@dataclass(frozen=True)
class _Known:
    """What is known beside the cells of a condition."""

    prices: Prices | None
    blocks: Sequence[InterleavedResult]
    every: Sequence[CellResult]


def _decision(
    condition: dict[str, str], cells: Sequence[CellResult], settings: DecideSettings, known: _Known
) -> Decision:
    done = [cell for cell in cells if cell.complete]
    names = list(dict.fromkeys(cell.key.solution for cell in done))
    absent = [name for name in dict.fromkeys(cell.key.solution for cell in cells) if name not in names]
    candidates = [candidate(name, done, settings, known.prices, known.every) for name in names]
    if settings.default_requirements:
        candidates = only_measured(candidates)
    by_name = {one.name: one for one in candidates}
    eligible = [one for one in candidates if one.status != "missed"]
    left, steps = [one.name for one in eligible], []
    for preference in settings.prefer:
        measure = MEASURES[preference]
        how = comparer(measure, by_name, known.blocks, done)
        if len(left) < 2 or how is None:
            continue
        found = best_set(left, how.against, more=bool(measure.more))
        steps.append(Step(measure, found.kept, found.out, how.interleaved))
        left = found.kept
    best = sorted(left, key=lambda name: _rank(by_name[name], settings.prefer))
    price = _prices(best, steps, by_name, known.blocks, done)
    more = _more(best, by_name, steps) if len(best) > 1 else None
    return Decision(condition, candidates, best, steps, price, more, absent, pareto_front(eligible))


def _rank(candidate: Candidate, prefer: Sequence[str]) -> tuple[float, ...]:
    """Sorts the best to the front, by the means."""
    found = []
    for name in prefer:
        mean = candidate.mean(name)
        sign = -1.0 if MEASURES[name].more else 1.0
        found.append(math.inf if mean is None else sign * mean)
    return tuple(found)


def _prices(
    best: Sequence[str],
    steps: Sequence[Step],
    candidates: Mapping[str, Candidate],
    blocks: Sequence[InterleavedResult],
    cells: Sequence[CellResult],
) -> dict[str, tuple[Measure, Difference]]:
    """What one would give up by taking one of those that a preference left out."""
    found: dict[str, tuple[Measure, Difference]] = {}
    for step in steps:
        how = comparer(step.measure, candidates, blocks, cells)
        for name in step.out:
            against = how.against(name, best[0], CONFIDENCE) if how else None
            if against is not None and against.differs:
                found[name] = (step.measure, against)
    return found


def _more(best: Sequence[str], candidates: Mapping[str, Candidate], steps: Sequence[Step]) -> int | None:
    """Trials of each that would probably tell the first two of the best apart, by the easiest preference."""
    found = []
    for step in steps:
        first, second = (candidates[name].values.get(step.measure.name, {}) for name in best[:2])
        common = [at for at in first if at in second]
        if len(common) != 1 or step.interleaved:
            continue
        a, b = first[common[0]], second[common[0]]
        spreads = [one.cov for one in (a, b) if one.cov]
        if not a.mean or not b.mean or not spreads or a.bounds or b.bounds:
            continue
        share = max(a.mean, b.mean) / min(a.mean, b.mean) - 1
        wanted = trials_for(share, max(spreads)) if share else None
        if wanted is not None and min(a.n, b.n) < wanted <= _MOST:
            found.append(wanted)
    return min(found, default=None)
