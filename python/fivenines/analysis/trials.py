"""Measures of a complete trial, read from its folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fivenines.analysis.availability.at_rest import at_rest
from fivenines.analysis.availability.availability import (
    Gap,
    Timeline,
    availability,
    steady_window,
    throughput,
)
from fivenines.analysis.availability.deaths_in_turn import deaths_in_turn
from fivenines.analysis.availability.failovers import fault_measures, of_trial
from fivenines.analysis.availability.fault_windows import skipped
from fivenines.analysis.availability.hiccup_served import with_served
from fivenines.analysis.availability.in_turn import in_turn
from fivenines.analysis.availability.interruptions import (
    Interruptions,
    interruptions,
    longest_of,
    stalls,
    trial_events,
)
from fivenines.analysis.availability.needless import response
from fivenines.analysis.availability.stall_causes import (
    Evidence,
    attributed,
    joined,
    read_evidence,
    stalls_of,
)
from fivenines.analysis.availability.traces import Traces, read_line, read_traces
from fivenines.analysis.consistency.consistency import primary_check
from fivenines.analysis.consistency.isolation.check import rejudged
from fivenines.analysis.consistency.ledger_tables import lost_moments
from fivenines.analysis.consistency.node_rows import rechecked
from fivenines.analysis.consistency.split_brain import SplitBrain, split_brains, would_be_seen
from fivenines.analysis.consistency.truth import TrialTruth, trial_truths
from fivenines.analysis.figure_cache import Kind, cached
from fivenines.analysis.performance.latency import Latency, latency_window, read_latencies
from fivenines.analysis.performance.load import bottleneck, coarse, errors_of, offered_rate
from fivenines.analysis.performance.steadiness import steadiness
from fivenines.analysis.performance.steady import STEADY, SteadyFigures
from fivenines.analysis.resources.cost import CLIENT
from fivenines.analysis.resources.counted import Counted, counted
from fivenines.analysis.resources.links import link_bytes
from fivenines.analysis.resources.machine import Sharing, sharing
from fivenines.analysis.resources.series import Series
from fivenines.analysis.tables import by_trial
from fivenines.analysis.trial_figures import TrialFigures, TypeMeasure
from fivenines.analysis.unobserved import unobserved_in_words
from fivenines.base.errors import FiveninesError
from fivenines.results import layout
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import Check, Isolation, TrialRecord
from fivenines.results.store import StoredTrial

TRANSACTION = "transaction"
WAITED = "waited"
_STALE = """
    SELECT trial, count(*) FILTER (kind = 'read' AND error_class = 'stale') AS stale
    FROM rows GROUP BY trial
"""


@dataclass(frozen=True, kw_only=True)
class TrialMeasures(TrialFigures):
    """Figures of a trial together with its record and folder.

    `nominal` is the level of intervals where trials were added as needed, see `sequential`.
    """

    record: TrialRecord
    folder: Path
    nominal: float | None = None

    @property
    def stalls_known(self) -> bool:
        """Return whether stalls were looked for; a program that reports rates once a second hides them."""
        return super().stalls_known and not coarse(self.record.load)

    @property
    def machine(self) -> str:
        """Return the machine of the trial; empty where the run's process did all trials."""
        worker = self.record.worker
        return worker.host if worker is not None else ""

    @property
    def stored(self) -> StoredTrial:
        """Return the trial as stored on disk, for figures that are read from few trials only."""
        return StoredTrial(self.folder, self.record)

    @cached_property
    def steady(self) -> SteadyFigures:
        """Return lag, hosts and stale reads of the steady window, read on first use."""
        return next(cached(STEADY, [self.stored]))

    @property
    def counted(self) -> Counted:
        """Return the counters of all servers in the steady window, read on demand."""
        return counted(self.stored)

    @property
    def link_bytes(self) -> int | None:
        """Return the bytes over the links between sites during the load; None: not observed."""
        return link_bytes(self.stored)

    @property
    def longest_stall(self) -> Gap | None:
        """Return the longest stall of the steady window; None without any."""
        return longest_of(self.stalls)

    def hosts_called(self, who: str = "") -> list[str]:
        """Return the hosts of a kind, role or name; by default all but the clients' hosts."""
        deployment = self.record.deployment
        if deployment is None:
            return []
        if not who:
            return [name for name, host in deployment.hosts.items() if host.kind != CLIENT]
        return [
            name
            for name, host in deployment.hosts.items()
            if who in (name, host.kind, deployment.roles.get(name))
        ]

    @property
    def timeline(self) -> Timeline:
        """Return the whole time line, read from disk: it is too long to be in memory for all trials."""
        return read_line(self.stored)


def read_steady(trials: Sequence[TrialMeasures]) -> None:
    """Read `steady` of several trials, with their tables read together."""
    missing = [trial for trial in trials if "steady" not in vars(trial)]
    for item, figures in zip(missing, cached(STEADY, [item.stored for item in missing]), strict=True):
        vars(item)["steady"] = figures


@dataclass(frozen=True)
class Measured:
    """Cached data of a trial: its figures, and the recomputed parts of its record."""

    figures: TrialFigures
    check: Check | None
    isolation: list[Isolation]


def measures(trials: Sequence[StoredTrial]) -> list[TrialMeasures]:
    """Return the measures of complete trials, computed once and cached (see `analysis.figure_cache`)."""
    result = []
    for trial, known in zip(trials, cached(MEASURES, trials), strict=True):
        record = trial.record
        if known.check != record.check or known.isolation != record.isolation:
            fresh = {"check": known.check, "isolation": known.isolation}
            record = record.model_copy(update=fresh)
        result.append(TrialMeasures(**vars(known.figures), record=record, folder=trial.folder))
    return result


def _cacheable(trials: Sequence[StoredTrial]) -> list[Measured]:
    return [Measured(item, item.record.check, item.record.isolation) for item in measure_all(trials)]


MEASURES = Kind("measures", Measured, _cacheable)


def measure_all(trials: Sequence[StoredTrial]) -> list[TrialMeasures]:
    """Read and judge complete trials; a missing or damaged table becomes a note, not an error."""
    trials = rejudged(rechecked(trials))
    traces, notes = read_traces(trials)
    stale = by_trial(trials, "ledger", _STALE)
    evidence = read_evidence(trials)
    split = split_brains(trials, {folder.name: each.states for folder, each in traces.items()})
    notes_of = {trial.folder: list(dict.fromkeys(notes.get(trial.folder, []))) for trial in trials}
    damaged: dict[Path, list[str]] = {trial.folder: [] for trial in trials}
    truths = trial_truths(trials, damaged)
    result = [
        _measure(
            trial,
            traces[trial.folder],
            int(stale[trial.folder.name]["stale"][0]) if trial.folder.name in stale else None,
            split.get(trial.folder.name, []),
            evidence[trial.folder.name],
            truth,
            notes_of[trial.folder],
        )
        for trial, truth in zip(trials, truths, strict=True)
    ]
    for trial in trials:
        notes_of[trial.folder] += damaged[trial.folder]
    return result


def _measure(
    trial: StoredTrial,
    traces: Traces,
    stale: int | None,
    split: list[SplitBrain],
    evidence: Evidence,
    truth: TrialTruth,
    notes: list[str],
) -> TrialMeasures:
    record, line = trial.record, traces.line
    windows = record.windows
    fault_at = _fault_at(record)
    node = primary_check(record.check) if record.check else None
    if record.check and node is None:
        notes.append("the primary of record could not be read: loss is unknown")
    latencies = _latencies(trial, fault_at, notes)
    schedule, steps = record.load.schedule, list(record.load.steps)
    speed = throughput(line, windows, fault_at) if windows and len(line.slot) else None
    events = trial_events(record, traces.states)
    moments = [event.start for event in events]
    faults = fault_measures(record, line, traces, speed, moments)
    failed = sum(fault.failed + fault.in_doubt for fault in faults)
    measured = None
    if windows and fault_at is not None:
        whole = availability(line, windows, fault_at, moments=moments, attempts=traces.attempts)
        measured = of_trial(whole, faults)
    # A step of a low rate is no stall next to a step of a high rate.
    seen = len(steps) < 2 and not coarse(record.load)
    silent = stalls(line, windows, fault_at) if windows and seen else []
    shared = _sharing(trial, evidence.machine, latencies.get(TRANSACTION), notes)
    if evidence.unseen:
        notes.append(f"not observed in the servers' logs: {evidence.unseen}")
    notes += [f"not observed: {text}" for text in unobserved_in_words(record.unobserved)] + skipped(record)
    if not (watched := would_be_seen(record, traces.states)):
        notes.append("the states of some servers were not recorded: a split brain could go unnoticed")
    return TrialMeasures(
        record=record,
        folder=trial.folder,
        throughput=speed,
        latency=latencies.get(TRANSACTION),
        availability=measured,
        lost=node.lost if node else None,
        phantom=node.phantom if node else None,
        duplicate=node.duplicate if node else None,
        in_doubt=record.check.in_doubt if record.check else None,
        stale=stale,
        errors=errors_of(record.load),
        bottleneck=bottleneck(record.load, watched=shared is not None),
        types=_types(record.load, latencies),
        schedule=schedule,
        offered=(offered_rate(schedule, steps, windows.warmup_end, windows.steady_end) if windows else None),
        steps=steps,
        connects=record.load.connects,
        faults=faults,
        truth=truth,
        watched=watched,
        split_brains=split,
        rest=at_rest(record, traces.states),
        in_turn=in_turn(record, traces.states),
        deaths=deaths_in_turn(traces.states, faults, lambda: lost_moments(trial)),
        response=with_served(response(record, traces.states, failed), record, line),
        interruptions=(
            interruptions(measured, events, traces.timeouts, record.load.bounds)
            if measured
            else Interruptions()
        ),
        stalls=silent,
        sharing=shared,
        lost_time=(
            attributed(joined(stalls_of(line, windows, fault_at), silent), evidence)
            if windows and seen
            else []
        ),
        unseen=evidence.unseen,
        notes=notes,
        slots=len(line.slot),
        transactions=int(line.transactions.sum()),
        commits=_commits(line, record),
        work=record.load.work,
        steadiness=steadiness(line, *steady_window(record)) if len(steps) < 2 else None,
    )


def _commits(line: Timeline, record: TrialRecord) -> int:
    start, end = steady_window(record)
    return int(line.transactions[(line.slot >= start) & (line.slot < end)].sum())


def _types(load: LoadSummary, latencies: dict[str, Latency]) -> list[TypeMeasure]:
    """Return the measures of each type; a workload's only type has the response times of all transactions."""
    counted = load.types or ()
    every = latencies.get(TRANSACTION)
    alone = every if len(counted) == 1 else None
    # Seconds without a success of a rare type count as well, so the length is that of all types.
    seconds = every.seconds if every else 0.0
    return [
        TypeMeasure(counts, latencies.get(f"{TRANSACTION}.{counts.name}", alone), seconds)
        for counts in counted
    ]


def _fault_at(record: TrialRecord) -> float | None:
    """Return the time of the first fault during the load; None without one."""
    fault, windows = record.fault, record.windows
    if fault is None or fault.kind == "none" or (windows and fault.at >= windows.end):
        return None
    return fault.at


def _sharing(
    trial: StoredTrial, machine: Mapping[str, Series], latency: Latency | None, notes: list[str]
) -> Sharing | None:
    windows, fault_at = trial.record.windows, _fault_at(trial.record)
    if windows is None or not machine:
        return None
    end = windows.steady_end if fault_at is None else min(windows.steady_end, fault_at)
    waited = _latencies(trial, fault_at, notes, WAITED).get(WAITED)
    return sharing(machine, (windows.warmup_end, end), latency, waited)


def _latencies(
    trial: StoredTrial, fault_at: float | None, notes: list[str], family: str = TRANSACTION
) -> dict[str, Latency]:
    """Return the response times in the steady window: of all transactions and of each type."""
    window = latency_window(trial.record, fault_at)
    if window is None:
        return {}
    try:
        return read_latencies(trial.folder / layout.LATENCY, family, *window)
    except FiveninesError as error:
        notes.append(str(error))
        return {}
