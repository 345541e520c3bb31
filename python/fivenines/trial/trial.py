"""A trial: deploy, load, inject, recover, check, record. Its folder appears whole or not at all."""

import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fivenines.analysis.availability.served import seconds_of, why_not
from fivenines.analysis.consistency.consistency import Operation, check_nodes
from fivenines.analysis.consistency.isolation.check import judge
from fivenines.base.errors import FiveninesError, brief
from fivenines.experiment.course import Course, course
from fivenines.experiment.plan import Trial
from fivenines.experiment.sections.clients import ClientPlan, clients_of, with_clients
from fivenines.experiment.spec import Experiment
from fivenines.lab.lab import remove_tree
from fivenines.load.invariants import check_after, count_before, unknown
from fivenines.load.run import LoadPlan
from fivenines.load.workloads.invariant import Check as Rule
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.results import layout, store
from fivenines.results.basics import ClockRecord
from fivenines.results.records import (
    Check,
    ClientRecord,
    Deployment,
    Divergence,
    Event,
    FaultRecord,
    InvariantCheck,
    Isolation,
    SettingsCheck,
    TrialRecord,
    Windows,
    WorkerRecord,
)
from fivenines.trial.deployment.deployed import Deploy, Deployed, data_set
from fivenines.trial.deployment.in_effect import in_effect_after
from fivenines.trial.divergence import diverged
from fivenines.trial.executed import keep_executed
from fivenines.trial.faults.network_of_load import BEFORE_STEADY, NetworkOfLoad
from fivenines.trial.faults.recovered import LoadRates, early_end
from fivenines.trial.faults.timeline import FaultRunner
from fivenines.trial.load.load_tables import keep_measurements, merge_latencies
from fivenines.trial.load.loads import Client, Loads
from fivenines.trial.load.merged_latency import connect_times
from fivenines.trial.load.merged_load import merged
from fivenines.trial.machine_watch import watched
from fivenines.trial.observers.base import Observers
from fivenines.trial.observers.hosts import controller_seconds
from fivenines.trial.observers.idle import idle_usage
from fivenines.trial.observers.processes import serve_seconds
from fivenines.trial.progress import Listener, LoadStarted, TrialEvent, TrialLive, TrialPhase

# Figures that are reported for each second of the load.
_LIVE = ("t", "tps", "qps", "errors", "p95_ms", "ok", "failed", "in_doubt", "connected")

# Seconds from the end of the steady window, when attempts of new connections become dense, to the fault.
_TRIES_BEFORE = 0.1


@dataclass(frozen=True)
class _Loaded:
    """Results of the load."""

    windows: Windows
    load: dict[str, Any]
    clients: list[ClientRecord]
    controller_cpu: float
    serve_cpu: float
    fault_runner: FaultRunner
    network: NetworkOfLoad
    planned: Course


@dataclass
class _Progress:
    """State of a running trial, which becomes its record, broken or not."""

    trial: Trial
    attempt: int
    began: float
    started: str
    worker: WorkerRecord | None = None
    deployment: Deployment | None = None
    loaded: _Loaded | None = None
    settled: str = ""
    settle_seconds: float | None = None
    faults: list[FaultRecord] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    clocks: dict[str, ClockRecord] = field(default_factory=dict)
    in_effect_after: SettingsCheck | None = None
    check: Check | None = None
    divergence: Divergence | None = None
    isolation: list[Isolation] = field(default_factory=list)
    invariants: list[InvariantCheck] = field(default_factory=list)

    def record(self, status: str, reason: str = "") -> TrialRecord:
        return TrialRecord(
            id=self.trial.id,
            cell=self.trial.cell.key,
            number=self.trial.number,
            seed=self.trial.seed,
            attempt=self.attempt,
            status=status,
            reason=reason,
            started=self.started,
            seconds=round(time.monotonic() - self.began, 3),
            worker=self.worker,
            windows=self.loaded.windows if self.loaded else None,
            deployment=self.deployment,
            faults=self.faults,
            in_effect_after=self.in_effect_after,
            settled=self.settled,
            settle_seconds=self.settle_seconds,
            check=self.check,
            divergence=self.divergence,
            isolation=self.isolation,
            invariants=self.invariants,
            load=self.loaded.load if self.loaded else {},
            clients=self.loaded.clients if self.loaded else [],
            pause_seconds=round(self.trial.pause, 3) if self.loaded else None,
            clocks=self.clocks,
            controller_cpu=self.loaded.controller_cpu if self.loaded else None,
            serve_cpu=self.loaded.serve_cpu if self.loaded else None,
            events=self.events,
        )


def run_trial(
    trial: Trial,
    experiment: Experiment,
    run: Path,
    attempt: int,
    listener: Listener,
    deploy: Deploy = Deployed,
    worker: WorkerRecord | None = None,
) -> TrialRecord:
    """Run a trial and write its folder: `<id>`, or `<id>.broken-<attempt>` with the reason and logs.

    `deploy` replaces the deployment, as a calibration does; the record contains `worker`.

    A failure within the trial breaks it without an exception. KeyboardInterrupt passes, and the folder is
    removed.

    Raises:
        NoSpaceError: the disk is full, so every other trial would fail as well; the folder is removed.
    """
    part = run.absolute() / layout.TRIALS / f".{trial.id}.part"
    remove_tree(part)
    (part / layout.LOGS).mkdir(parents=True)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    progress = _Progress(trial, attempt, time.monotonic(), started, worker)
    try:
        _, reason = watched(run, lambda: _perform(progress, experiment, part, listener, deploy))
        record = progress.record("broken" if reason else "complete", reason)
        broken = f".broken-{attempt}" if reason else ""
        target = layout.trial_folder(run, f"{trial.id}{broken}")
        for ticks in part.glob(f"{layout.LOAD}*/{layout.TICKS}"):
            ticks.unlink()
        store.write_json(part / layout.TRIAL, record)
    except BaseException:
        remove_tree(part)
        raise
    remove_tree(target)
    store.move(part, target)
    return record


def _perform(
    progress: _Progress, experiment: Experiment, part: Path, listener: Listener, deploy: Deploy
) -> None:
    trial, cell, timing = progress.trial, progress.trial.cell, experiment.timing
    data = data_set(cell.solution, cell.workload, lambda _message, _fraction: None)
    clients = clients_of(experiment.clients, cell.workload, cell.connections, experiment.load)
    network = with_clients(cell.network, experiment.clients)

    def phase(name: str, seconds: float = 0.0) -> None:
        listener(TrialPhase(trial.id, name, seconds))

    with (
        deploy(cell.solution, data, part / "lab", network, experiment.lab) as deployed,
        ExitStack() as abandoned,
    ):
        deployed.solution.disk_calls = cell.fault.disk_calls()
        deployed.client_addresses = {client.name: client.addresses for client in clients}
        try:
            deployed.bring_up(lambda name: phase(name, 5.0))
            idle = idle_usage(deployed.lab.hosts, experiment.observe.idle)
            progress.deployment = deployed.record(idle)
            before = _count_before(cell.workload, deployed)
            if trial.pause:
                phase("random delay before the fault", trial.pause)
                time.sleep(trial.pause)
            loaded = _load(trial, experiment, clients, deployed, part, listener, abandoned)
            progress.loaded, fault_runner = loaded, loaded.fault_runner
            # a step that fails from here on must not lose what was measured
            progress.faults = fault_runner.records()
            deployed.lab.require_sound()
            progress.clocks = deployed.lab.clocks()
            phase("settling", timing.settle)
            fault_runner.finish()
            began = time.monotonic()
            missing = set(fault_runner.unexpected_primaries())
            progress.settled = deployed.settle(timing.settle, without=missing)
            progress.settle_seconds = round(time.monotonic() - began, 3)
            fault_runner.confirm()
            deployed.require_durability()
            loaded.network.end()
            progress.faults = fault_runner.records()
            progress.events = _events(loaded, cell.fault.fault, progress.faults)
            if cell.fault.fault != "none" and not cell.solution.external:
                progress.in_effect_after = in_effect_after(deployed.solution, missing)
            phase("checking", 3.0 + cell.solution.compare_seconds)
            if experiment.ledger.rate:
                progress.check = _check(deployed, part, fault_runner, loaded.load)
            progress.divergence = _divergence(deployed, fault_runner)
            progress.isolation = judge(part)
            rules = [*cell.workload.invariants(), *experiment.ledger.invariants()]
            progress.invariants = _invariants(rules, deployed, before, loaded.load)
            _require_service(part, loaded)
        finally:
            with suppress(OSError):
                deployed.collect_logs(part / layout.LOGS)


def _events(loaded: _Loaded, kind: str, faults: list[FaultRecord]) -> list[Event]:
    """Return what happened in the trial, in chronological order, and why no fault was injected if so."""
    events = loaded.network.among(loaded.fault_runner.events(), loaded.load)
    early = loaded.planned.too_early(loaded.load, kind, faults)
    return [*events, early] if kind != "none" and early is not None else events


def _load(
    trial: Trial,
    experiment: Experiment,
    clients: Sequence[ClientPlan],
    deployed: Deployed,
    part: Path,
    listener: Listener,
    abandoned: ExitStack,
) -> _Loaded:
    cell, timing = trial.cell, experiment.timing
    faulty = cell.fault.fault != "none"
    planned = course(experiment, cell.workload.ends_itself, faulty)
    steady_end, seconds = planned.steady_end, planned.end
    rates = LoadRates(planned.warmup, steady_end)

    def live(line: dict[str, Any]) -> None:
        rates.note(line["t"], line["tps"])
        listener(TrialLive(trial.id, **{name: line[name] for name in _LIVE}))

    def tell(event: Event) -> None:
        listener(TrialEvent(trial.id, event.t, event.kind, event.node, event.detail))

    network = NetworkOfLoad(deployed.lab)
    connected = network.begin if network.begins == "load" else None
    load = Loads(deployed, clients, _load_plan(trial, experiment, planned, deployed), part, live, connected)
    of_ledger = experiment.ledger.clients * len(clients) if experiment.ledger.rate else 0
    observers = Observers(deployed, part / layout.OBSERVED, experiment.observe, of_ledger)
    try:
        began = load.start() / 1e9
        unix = time.time() - (time.monotonic() - began)
        listener(LoadStarted(trial.id, round(unix, 3), planned.warmup, steady_end, seconds))
        used, served, since = controller_seconds(), serve_seconds(), time.monotonic()
        observers.start(load.started_ns)
        fault_runner = FaultRunner(
            cell.fault, deployed, load.started_ns, began + seconds + timing.settle, trial.seed, tell=tell
        )
        abandoned.callback(fault_runner.abandon)
        listener(TrialPhase(trial.id, "warm-up and steady load", steady_end))
        if network.begins == "steady":
            load.await_moment(began + max(0.0, planned.warmup - BEFORE_STEADY), or_end=planned.works)
            network.begin()
        load.await_moment(began + steady_end, or_end=planned.works)
        # Without a single success there is no service that a fault could interrupt.
        dead = rates.dead(steady_end)
        injected = faulty and not (load.ended or dead)
        if injected:
            listener(TrialPhase(trial.id, f"{cell.fault.fault}, then recovery", timing.recovery.at_most))
            observers.alert()
            # Attempts of new connections are dense from the steady window's end on: some precede the fault.
            time.sleep(_TRIES_BEFORE)
            fault_runner.begin()
        early = early_end(timing.recovery, fault_runner, rates, load.started_ns)
        results = load.await_end(seconds + 60.0, early if injected else lambda: dead)
        fault_runner.end_early("the load ended")
        # Fixed work may be done long before its time limit.
        fault_runner.hurry(time.monotonic() + timing.settle)
        passed = time.monotonic() - since
        cpu, serve = controller_seconds() - used, max(0.0, serve_seconds() - served)
    finally:
        load.stop()
        observers.stop()
        keep_measurements(part, load.clients, observers.tables)
    result = _merged(part, load.clients, results)
    windows = planned.windows(result, injected)
    shares = round(cpu / passed, 4), round(serve / passed, 4)
    return _Loaded(
        windows, result, _client_records(load.clients, results), *shares, fault_runner, network, planned
    )


def _require_service(part: Path, loaded: _Loaded) -> None:
    """Check that the load was served in its steady window.

    Raises:
        FiveninesError: it was not; the message has the server's error.
    """
    windows = loaded.windows
    seconds = seconds_of(store.table_path(part, "timeline"))
    if why := why_not(seconds, loaded.load, windows.warmup_end, windows.steady_end):
        raise FiveninesError(why)


def _load_plan(trial: Trial, experiment: Experiment, planned: Course, deployed: Deployed) -> LoadPlan:
    """Return the plan that all generators of a trial's load share."""
    cell = trial.cell
    dense_from = None if cell.fault.fault == "none" else planned.steady_end
    return LoadPlan(
        cell.workload,
        cell.connections,
        planned.end,
        trial.seed,
        experiment.load,
        experiment.ledger.flags(dense_from, deployed.solution.bears_connection_every),
        warmup=planned.warmup,
    )


def _merged(part: Path, clients: Sequence[Client], results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Merge the results of the loads, including their response times."""
    each = {client.plan.name: item for client, item in zip(clients, results, strict=True)}
    result = merged(each)
    if len(each) > 1:
        merge_latencies(part, each)
        result["connects"] |= connect_times(part / layout.LATENCY)
    return result


def _client_records(clients: Sequence[Client], results: Sequence[dict[str, Any]]) -> list[ClientRecord]:
    """Return the record of each client; [] for a single client."""
    if len(clients) < 2:
        return []
    return [
        ClientRecord(
            name=client.plan.name,
            site=client.site,
            endpoint=client.plan.endpoint or "",
            write=list(client.endpoints.write),
            workload=client.plan.workload.workload,
            connections=client.plan.connections,
            addresses=client.plan.addresses,
            load=result,
        )
        for client, result in zip(clients, results, strict=True)
    ]


def _count_before(workload: WorkloadSettings, deployed: Deployed) -> dict[str, int]:
    primary = deployed.solution.primary()
    return count_before(primary.open_data, workload.invariants()) if primary else {}


def _invariants(
    rules: Sequence[Rule], deployed: Deployed, before: dict[str, int], load: dict[str, Any]
) -> list[InvariantCheck]:
    primary = deployed.solution.primary()
    if primary is None:
        return unknown(rules, "no node accepts writes after the trial")
    return check_after(primary.open_data, primary.driver, rules, before, load)


def _check(deployed: Deployed, part: Path, fault_runner: FaultRunner, load: dict[str, Any]) -> Check | None:
    solution, missing = deployed.solution, fault_runner.unexpected_primaries()
    if not store.table_path(part, "ledger").exists():
        return None
    result: dict[str, list[int] | None] = {}
    details: dict[str, str] = {}
    primary = solution.primary()
    for node in solution.serving:
        result[node.name] = None
        if node.name in missing:
            details[node.name] = missing[node.name]
            continue
        try:
            # Read the position before the rows: rows that arrive in between would look lost.
            details[node.name] = solution.not_joined_reason(node) or solution.lag_reason(node)
            rows = node.ledger_rows()
            result[node.name] = [identifier for identifier, _ in rows]
            # An external server has another clock.
            if primary is node and not (solution.settings.external or deployed.lab.clocks_differ):
                keep_executed(part, rows, load)
        except Exception as error:
            details[node.name] = brief(error)
    store.write_table(part, "held", [(name, item) for name, ids in result.items() for item in ids or ()])
    check = check_nodes(_operations(part), result, solution.roles(), primary.name if primary else "")
    nodes = [
        judged.model_copy(update={"detail": details[judged.node]}) if details[judged.node] else judged
        for judged in check.nodes
    ]
    return check.model_copy(update={"nodes": nodes})


def _divergence(deployed: Deployed, fault_runner: FaultRunner) -> Divergence | None:
    if len(deployed.solution.nodes) < 2 or not deployed.solution.compared:
        return None
    unexpected_primaries = dict.fromkeys(
        fault_runner.unexpected_primaries(), "still broken, or not restarted"
    )
    return deployed.solution.compare_copies(unexpected_primaries) or diverged(
        deployed.solution, unexpected_primaries
    )


def _operations(part: Path) -> list[Operation]:
    with store.reader() as connection:
        rows = connection.execute(
            "SELECT id, kind, outcome, client FROM read_parquet(?)", [str(store.table_path(part, "ledger"))]
        ).fetchall()
    return [Operation(*row) for row in rows]
