"""Solutions of a condition, with verdicts on requirements and measured values."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fivenines.analysis.availability.deaths_in_turn import order
from fivenines.analysis.availability.needless import harmless
from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.availability import judge_availability
from fivenines.analysis.decision.judging import Judgement, Status, judge, judge_number, worst
from fivenines.analysis.measured import seen_in, summary_of
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.measures.measures import MEASURES, USUAL, Measure
from fivenines.analysis.resources.cost import Prices
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import count
from fivenines.base.units import format_duration
from fivenines.results.records import CellKey, TrialRecord

# Workload, connections, network, fault, and run. The fault is empty for measures from before it, the run if
# there is only one.
Stratum = tuple[str, int, str, str, str]


@dataclass(frozen=True)
class Candidate:
    """A solution in a condition: verdicts on requirements, and measures by stratum."""

    name: str
    called: str
    judgements: list[Judgement]
    values: Mapping[str, Mapping[Stratum, Summary]]
    trials: int

    @property
    def status(self) -> Status:
        """Return `missed` if any requirement is not met, `met` if all are, and `inconclusive` otherwise."""
        return worst(self.judgements).status if self.judgements else "met"

    def mean(self, measure: str) -> float | None:
        """Return the geometric mean over the strata; None where any has no value."""
        means = [item.mean for item in self.values.get(measure, {}).values()]
        known = [mean for mean in means if mean is not None]
        if not known or len(known) < len(means) or (len(known) > 1 and min(known) <= 0):
            return None
        if len(known) == 1:
            return known[0]
        return math.exp(math.fsum(map(math.log, known)) / len(known))


def candidate(
    name: str,
    cells: Sequence[CellResult],
    settings: DecideSettings,
    prices: Prices | None,
    every: Sequence[CellResult] = (),
    mtbf: Mapping[str, float] | None = None,
) -> Candidate:
    """Return a solution with its requirements judged.

    Args:
        name: name of the solution.
        cells: cells of the condition; a swept solution as its best case.
        settings: the requirements.
        prices: prices of hosts, if any.
        every: all cells of the run: for a best case those of its variant, with all of its trials.
        mtbf: assumed seconds between two faults of a kind, for availabilities.
    """
    own = [cell for cell in cells if cell.key.solution == name]
    whole = [item for cell in own for item in _whole(cell, every)]
    numbers = _numbers(own, prices)
    values = {
        measure: {
            stratum: summary_of(measure, trials)
            for stratum, trials in _strata(own, MEASURES[measure]).items()
        }
        for measure in dict.fromkeys([*USUAL, *settings.prefer])
        if MEASURES[measure].valued
    }
    known = {
        key: {("", 0, "", "", ""): Summary(1, number)}
        for key, number in numbers.items()
        if number is not None
    }
    judgements = []
    for requirement in settings.judged:
        if requirement.measure.kind == "number":
            judgements.append(judge_number(requirement, numbers[requirement.measure.name]))
            continue
        if requirement.measure.kind == "estimate":
            judgements.append(judge_availability(requirement, own, mtbf or {}))
            continue
        # A best case reports half of its trials; failures in the other half count as well.
        event = requirement.measure.kind == "event"
        shares = event or requirement.percentile is not None
        strata = _strata(whole if event else own, requirement.measure, shares)
        each = [judge(requirement, trials, _where(at, strata)) for at, trials in strata.items()]
        found = worst(each) if each else Judgement(requirement, "inconclusive")
        judgements.append(by_design(found, whole) if requirement.measure.name == "lost" else found)
    trials = sum(cell.complete for cell in own)
    return Candidate(name, _called(own), judgements, {**values, **known}, trials)


def by_design(judgement: Judgement, cells: Sequence[CellResult]) -> Judgement:
    """Return the verdict on lost rows with what the solution's manual says.

    A requirement that the design excludes is not met, whatever a few trials have shown. A limit above 0 is
    judged by the trials alone: it accepts some loss. A loss where a live primary may have acknowledged alone,
    as after the time-out of semi-synchronous replication in a partition, breaks no promise.
    """
    trials = [trial for cell in cells if cell.faulted for trial in cell.trials]
    facts = [trial.record.deployment.facts for trial in trials if trial.record.deployment]
    known = next((one for one in facts if one is not None), None)
    if known is None or known.may_lose is None:
        return judgement
    zero = judgement.requirement.relation == "="
    if known.may_lose:
        return replace(judgement, status="missed", design=known.may_lose) if zero else judgement
    lost = [trial for trial in trials if _lost_by_one_failure(trial)]
    alone = {trial.record.id for trial in lost if _acknowledged_alone(trial.record, known.alone_after)}
    found = replace(
        judgement, broken=tuple(trial.record.id for trial in lost if trial.record.id not in alone)
    )
    if zero and alone and known.alone_after is not None:
        after = format_duration(known.alone_after) if known.alone_after else "a moment"
        return replace(found, design=f"a primary that no replica answers for {after} acknowledges alone")
    return found


def _acknowledged_alone(record: TrialRecord, after: float | None) -> bool:
    """Return whether a fault left a server alive, and so many seconds for it to go on without replicas."""
    if after is None or record.windows is None:
        return False
    end = record.windows.end
    return any(harmless(fault) and end - fault.at >= 1000 * after for fault in record.faults)


def _lost_by_one_failure(trial: TrialMeasures) -> bool:
    """Return whether rows are lost although all faults, as a cut and then a kill, hit one node only."""
    hit = {node for fault in trial.record.faults for node in fault.nodes or [fault.node]}
    return any(seen_in("lost", [trial])) and len(hit) == 1


def _whole(cell: CellResult, every: Sequence[CellResult]) -> list[CellResult]:
    if cell.best is None:
        return [cell]
    key = cell.key.model_copy(update={"solution": cell.best.variant})
    return [item for item in every if (item.key, item.run) == (key, cell.run)] or [cell]


def _called(cells: Sequence[CellResult]) -> str:
    """Return the solution's name with the chosen settings, if they are the same in all cells."""
    names = {cell.called for cell in cells}
    return names.pop() if len(names) == 1 else f"{cells[0].key.solution} (settings by condition)"


def only_measured(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without the requirements that none of them has measured."""
    some = {
        j.requirement.text
        for candidate in candidates
        for j in candidate.judgements
        if j.n or j.number is not None or j.estimate is not None
    }
    return [
        replace(candidate, judgements=[j for j in candidate.judgements if j.requirement.text in some])
        for candidate in candidates
    ]


def _strata(
    cells: Sequence[CellResult], measure: Measure, shares: bool = False
) -> dict[Stratum, list[TrialMeasures]]:
    """Return the trials that have the measure, by stratum; `shares`: for a share of trials or deaths."""
    event = measure.kind == "event"
    alone = _faults_alone(cells) if shares else {}
    measures: dict[Stratum, list[TrialMeasures]] = {}
    for cell in cells:
        if measure.fault and not cell.faulted:
            continue
        key = cell.key
        own_fault = alone.get((cell.run, key), key.fault) if event or measure.when != "steady" else ""
        # Events are counted by fault (or without one), over all workloads, connections and runs.
        at = ("", 0, "", own_fault, "")
        if not event:
            at = (key.workload, key.connections, key.network, own_fault, cell.run)
        measures.setdefault(at, []).extend(cell.trials)
    return measures


def _faults_alone(cells: Sequence[CellResult]) -> dict[tuple[str, CellKey], str]:
    """Return for cells with deaths in turn, by run and key, the name of the same fault where it is single.

    It is one fault, so a share is that of both together, unless the deaths in turn depend on their order.
    Several faults of one label may differ in their settings.
    """
    single: dict[str, set[str]] = {}
    for cell in cells:
        for fault in cell.faults if len(cell.faults) == 1 else ():
            if not fault.in_turn:
                single.setdefault(fault.label, set()).add(cell.key.fault)
    names = {label: min(keys) for label, keys in single.items() if len(keys) == 1}
    in_turn = [(cell, fault.label) for cell in cells if _all_in_turn(cell) for fault in cell.faults]
    return {
        (cell.run, cell.key): names[label] for cell, label in in_turn if label in names and not _ordered(cell)
    }


def _all_in_turn(cell: CellResult) -> bool:
    """Return whether each trial of a cell has deaths in turn."""
    return bool(cell.trials) and all(trial.each_death is not None for trial in cell.trials)


def _ordered(cell: CellResult) -> bool:
    """Return whether the outages of deaths in turn depend on their order."""
    effect = order([trial.deaths for trial in cell.trials if trial.deaths is not None])
    return effect is not None and effect.seen


def _where(stratum: Stratum, among: Iterable[Stratum]) -> str:
    """Return the distinction of a stratum from the others: "kill primary"; empty if it is the only one."""
    workload, connections, network, fault, run = stratum
    words = (workload, count(connections, "connection"), network, fault, run)
    varies = [len(set(column)) > 1 for column in zip(*among, strict=True)]
    return ", ".join(word for word, shown in zip(words, varies, strict=True) if shown and word)


def _numbers(cells: Sequence[CellResult], prices: Prices | None) -> dict[str, float | None]:
    deployments = [t.record.deployment for cell in cells for t in cell.trials if t.record.deployment]
    return {
        name: measure.number(deployments[0], prices) if deployments else None
        for name, measure in MEASURES.items()
        if measure.number is not None
    }


# Measures of the Pareto front, if measured.
FRONT = ("tps", "outage_writes", "cost", "hosts")


def pareto_front(candidates: Sequence[Candidate]) -> list[str]:
    """Return the candidates that no other one dominates: equals or beats in all measures, and beats in
    one.
    """
    points = {}
    measured = [name for name in FRONT if all(candidate.mean(name) is not None for candidate in candidates)]
    for candidate in candidates:
        signs = [-1.0 if MEASURES[name].more else 1.0 for name in measured]
        points[candidate.name] = [
            sign * (candidate.mean(name) or 0.0) for sign, name in zip(signs, measured, strict=True)
        ]
    return [
        name
        for name, own in points.items()
        if not any(_beats(other, own) for at, other in points.items() if at != name)
    ]


def _beats(a: Sequence[float], b: Sequence[float]) -> bool:
    pairs = list(zip(a, b, strict=True))
    return all(x <= y for x, y in pairs) and any(x < y for x, y in pairs)
