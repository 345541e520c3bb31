"""Summaries of all trials of a cell."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fivenines.analysis.availability.availability import Outage
from fivenines.analysis.availability.fault_results import FaultResult, fault_results
from fivenines.analysis.availability.interruptions import Interruption
from fivenines.analysis.availability.outages import Outages, Service, outages_of
from fivenines.analysis.consistency.truth import CellTruth, cell_truth
from fivenines.analysis.measured import draws_of, summary_of
from fivenines.analysis.order import in_order
from fivenines.analysis.statistics.best_case import BestCase
from fivenines.analysis.statistics.means import Summary, never_upper_bound, summaries, summarise
from fivenines.analysis.statistics.sequential import all_at_level, nominal_of
from fivenines.analysis.trial_figures import TypeMeasure
from fivenines.analysis.trials import TrialMeasures, measures
from fivenines.analysis.wording import count
from fivenines.results.load_parts import ErrorEntry
from fivenines.results.records import CellKey
from fivenines.results.store import Run

# Per cent of the offered rate that a cell must reach to meet the rate.
MET = 95.0

LATENCIES = ("mean", "p50", "p95", "p99", "p999", "max")


@dataclass(frozen=True)
class Failover:
    """Failover times in ms; the `not_recovered` trials count as lower bounds."""

    summary: Summary
    not_recovered: int


@dataclass(frozen=True)
class Stalls:
    """Times of the steady window, without any fault, in which no transaction of the load succeeded.

    `trials` is the number of trials that have any; `number`, `longest` and `total` (ms) are of each
    trial, 0 without a stall; `seconds` is the length of all steady windows. A stall's time within the window
    is exact; its whole length is a lower bound where the window ended first.
    """

    trials: int
    number: Summary
    longest: Summary
    total: Summary
    seconds: float

    @property
    def share(self) -> float:
        """Return the share of the steady windows that stalls took."""
        lost = (self.total.mean or 0.0) * self.total.n / 1000
        return lost / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Loss:
    """Acknowledged rows that were absent on the primary of record, over the `checked` trials.

    `draws` is the number of trials, or of deaths in turn (`unit`), `hits` that of those with a loss.
    """

    checked: int
    total: int
    largest: int
    trials_with_loss: int
    phantom: int
    duplicate: int
    draws: int
    hits: int
    unit: str

    @property
    def counted(self) -> str:
        """Return the number of trials, or of deaths in turn, as a text."""
        return count(self.draws, self.unit)

    @property
    def upper_bound(self) -> float | None:
        """Without any loss: the share of draws with loss that cannot be excluded (95 %)."""
        if self.hits or not self.draws:
            return None
        return never_upper_bound(self.draws)


@dataclass(frozen=True)
class TypeResult:
    """One type of transactions: rate per second, response times in ms, and counts of all trials."""

    name: str
    rate: Summary
    latency: dict[str, Summary]
    ok: int
    expected: int
    failed: int
    in_doubt: int
    retries: int


@dataclass(frozen=True)
class InvariantResult:
    """An invariant of the data, over the trials in which it was checked."""

    name: str
    source: str
    holds: int
    violated: int
    unknown: int


@dataclass(frozen=True)
class CellResult:
    """A cell: number of trials, and summaries of their measures (ms, or per second).

    With a `best` it is the best case of a swept solution: one variant, and half of its trials.
    """

    key: CellKey
    planned: int
    complete: int
    broken: int
    tps: Summary
    qps: Summary
    latency: dict[str, Summary]
    writes: Outages
    reads: Outages
    connections: Outages
    stalls: Stalls
    failover: Failover
    loss: Loss
    in_doubt: int
    stale: int
    errors: list[ErrorEntry]
    deployment: Summary
    bottlenecks: list[str]
    types: list[TypeResult]
    offered: float | None
    invariants: list[InvariantResult]
    faults: list[FaultResult]
    truth: CellTruth
    trials: list[TrialMeasures] = field(repr=False)
    best: BestCase | None = None
    # The name of its run, in a decision over several runs.
    run: str = ""

    @property
    def called(self) -> str:
        """Return the solution; with the settings that were chosen, where it is the best case of a sweep."""
        return self.best.called if self.best else self.key.solution

    @property
    def kept_percent(self) -> float | None:
        """Return the achieved rate in per cent of the offered rate; None without an offered rate.

        Expected failures were answered, so they count: their share of the whole load is added to the
        successes of the steady window.
        """
        if not self.offered or self.tps.mean is None:
            return None
        ok = sum(item.ok for item in self.types)
        answered = 1 + sum(item.expected for item in self.types) / ok if ok else 1.0
        return 100 * self.tps.mean * answered / self.offered

    @property
    def kept(self) -> bool:
        """Return whether the cell met an offered rate: then the throughput is that rate."""
        return (self.kept_percent or 0.0) >= MET

    @property
    def violated(self) -> int:
        """Return the number of trials in which an invariant does not hold."""
        return sum(
            any(check.status == "violated" for check in trial.record.invariants) for trial in self.trials
        )

    @property
    def split(self) -> int:
        """Return the number of trials with split brain: several nodes took writes where one may."""
        return sum(bool(trial.split_brains) for trial in self.trials)

    @property
    def faulted(self) -> bool:
        """Return whether a fault was injected in this cell."""
        return self.key.fault != "none"


def analyse(run: Run) -> list[CellResult]:
    """Return all cells of a run in the order of the plan's file, including empty ones."""
    plan = sorted(run.manifest.plan, key=lambda trial: trial.id)
    planned = Counter(trial.cell for trial in plan)
    complete: dict[CellKey, list[TrialMeasures]] = {}
    nominal = nominal_of(run)
    for measured in measures(run.complete):
        own = replace(measured, nominal=nominal) if nominal is not None else measured
        complete.setdefault(measured.record.cell, []).append(own)
    broken = Counter(trial.record.cell for trial in run.broken)
    keys = in_order(run, dict.fromkeys([*planned, *complete, *broken]))
    return [cell_result(key, planned[key], broken[key], complete.get(key, [])) for key in keys]


def cell_result(key: CellKey, planned: int, broken: int, trials: list[TrialMeasures]) -> CellResult:
    """Summarise the complete trials of one cell."""
    latencies = [trial.latency for trial in trials if trial.latency]
    timed = [trial.machine for trial in trials if trial.latency]
    deployments = [trial.record.deployment for trial in trials if trial.record.deployment]
    result = CellResult(
        key=key,
        planned=planned,
        complete=len(trials),
        broken=broken,
        tps=summary_of("tps", trials),
        qps=summary_of("qps", trials),
        latency=summaries(latencies, LATENCIES, timed),
        writes=outages_in(trials, "writes"),
        reads=outages_in(trials, "reads"),
        connections=outages_in(trials, "connections"),
        stalls=_stalls(trials),
        failover=_failover(trials),
        loss=_loss(trials),
        in_doubt=sum(trial.in_doubt or 0 for trial in trials),
        stale=sum(trial.stale or 0 for trial in trials),
        errors=_errors(trials),
        deployment=summarise([deployment.seconds for deployment in deployments]),
        bottlenecks=[trial.bottleneck for trial in trials if trial.bottleneck],
        types=_types(trials),
        offered=next((trial.offered for trial in trials if trial.offered is not None), None),
        invariants=_invariants(trials),
        faults=fault_results([(trial.record.id, trial.faults, trial.each_death) for trial in trials]),
        truth=cell_truth([trial.record for trial in trials], [trial.truth for trial in trials]),
        trials=trials,
    )
    nominal = trials[0].nominal if trials else None
    return result if nominal is None else _at_level(result, nominal)


def _at_level(cell: CellResult, nominal: float) -> CellResult:
    """Return the cell with the intervals of trials that were added as needed."""
    widened: CellResult = all_at_level(replace(cell, trials=[]), nominal)
    return replace(widened, trials=cell.trials)


def outages_in(trials: Sequence[TrialMeasures], of: Service) -> Outages:
    """Return the outages of a service in trials: of each, or of each of its deaths in turn."""
    values: list[tuple[str, Outage | None, Sequence[Interruption]]] = []
    for trial in trials:
        every = getattr(trial.interruptions, of)
        if trial.each_death is None:
            values.append((trial.record.id, getattr(trial.availability, of, None), every))
            continue
        for death in trial.each_death:
            window = death.fault_window
            own = [one for one in every if window.at < one.gap.end <= window.until]
            values.append((trial.record.id, getattr(death.availability, of), own))
    unit = "trial" if all(trial.each_death is None for trial in trials) else "death"
    machines = {trial.record.id: trial.machine for trial in trials}
    return outages_of(values, machines, unit)


def _stalls(trials: list[TrialMeasures]) -> Stalls:
    measured = [trial for trial in trials if trial.stalls_known]
    machines = [trial.machine for trial in measured]
    return Stalls(
        sum(bool(trial.stalls) for trial in measured),
        summary_of("stalls", trials),
        summary_of("stalls_longest", trials),
        summarise([sum(gap.ms for gap in trial.stalls) for trial in measured], machines=machines),
        sum(trial.throughput.seconds for trial in measured if trial.throughput),
    )


def _failover(trials: list[TrialMeasures]) -> Failover:
    summary = summary_of("failover", trials)
    return Failover(summary, summary.bounds)


def _loss(trials: list[TrialMeasures]) -> Loss:
    lost = [trial.lost for trial in trials if trial.lost is not None]
    draws = draws_of("lost", trials)
    return Loss(
        checked=len(lost),
        total=sum(lost),
        largest=max(lost, default=0),
        trials_with_loss=sum(n > 0 for n in lost),
        phantom=sum(trial.phantom or 0 for trial in trials),
        duplicate=sum(trial.duplicate or 0 for trial in trials),
        draws=len(draws.values),
        hits=sum(value > 0 for value, _ in draws.values),
        unit=draws.unit,
    )


def _types(trials: list[TrialMeasures]) -> list[TypeResult]:
    """Return the types in the order of the workload, the trials of each together."""
    result: dict[str, list[TypeMeasure]] = {}
    for trial in trials:
        for item in trial.types:
            result.setdefault(item.counts.name, []).append(item)
    return [_type(name, measures) for name, measures in result.items()]


def _type(name: str, measures: list[TypeMeasure]) -> TypeResult:
    latencies = [measure.latency for measure in measures if measure.latency]
    return TypeResult(
        name=name,
        rate=summarise([measure.rate for measure in measures]),
        latency=summaries(latencies, LATENCIES),
        ok=sum(measure.counts.ok for measure in measures),
        expected=sum(measure.counts.expected for measure in measures),
        failed=sum(measure.counts.failed for measure in measures),
        in_doubt=sum(measure.counts.in_doubt for measure in measures),
        retries=sum(measure.counts.retries for measure in measures),
    )


def _invariants(trials: list[TrialMeasures]) -> list[InvariantResult]:
    counters: dict[tuple[str, str], Counter[str]] = {}
    for trial in trials:
        for check in trial.record.invariants:
            counters.setdefault((check.name, check.source), Counter())[check.status] += 1
    return [
        InvariantResult(name, source, n["holds"], n["violated"], n["unknown"])
        for (name, source), n in counters.items()
    ]


def _errors(trials: list[TrialMeasures]) -> list[ErrorEntry]:
    """Return the errors of all trials by source, class and code, with the first message of each."""
    entries: dict[tuple[str, str, str], ErrorEntry] = {}
    for trial in trials:
        for error in trial.errors:
            key = (error.source, error.kind, error.code)
            known = entries.get(key)
            total = error.count + (known.count if known else 0)
            # moments are those of a trial
            entries[key] = replace(known or error, count=total, first_ms=None, last_ms=None)
    return sorted(entries.values(), key=lambda error: -error.count)
