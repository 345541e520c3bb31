"""The measured part of a trial: its load, network conditions, observers and faults."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from fivenines.experiment.course import course
from fivenines.experiment.plan import Trial
from fivenines.experiment.sections.clients import ClientPlan
from fivenines.experiment.spec import Experiment
from fivenines.load.run import LoadPlan
from fivenines.results import layout
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import ClientRecord, Event, FaultRecord, Unobserved
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.faults.network_of_load import BEFORE_STEADY, NetworkOfLoad
from fivenines.trial.faults.recovered import LoadRates, early_end
from fivenines.trial.faults.timeline import FaultRunner
from fivenines.trial.load.load_tables import keep_measurements, merge_latencies
from fivenines.trial.load.loads import Client, Loads
from fivenines.trial.load.merged_latency import connect_times
from fivenines.trial.load.merged_load import merged
from fivenines.trial.load.stacks import Stacks
from fivenines.trial.observers.base import Observers
from fivenines.trial.observers.hosts import controller_seconds
from fivenines.trial.observers.processes import serve_seconds
from fivenines.trial.progress import Listener, LoadStarted, TrialEvent, TrialLive, TrialPhase
from fivenines.trial.state import Loaded

# Figures that are reported for each second of the load.
_LIVE = ("t", "tps", "qps", "errors", "p95_ms", "ok", "failed", "in_doubt", "connected")

# Seconds from the end of the steady window, when attempts of new connections become dense, to the fault.
_TRIES_BEFORE = 0.1


class Measurement(AbstractContextManager["Measurement"]):
    """Warm up, load steadily, inject the fault, and wait for the recovery.

    Leaving the `with` block stops the load and the observers, and writes their tables. Faults may last
    longer: they end while the trial settles, and `abandon` ends what a failed trial leaves of them.
    """

    def __init__(
        self,
        trial: Trial,
        experiment: Experiment,
        clients: Sequence[ClientPlan],
        deployed: Deployed,
        part: Path,
        listener: Listener,
    ) -> None:
        self._trial, self._timing, self._part, self._listener = trial, experiment.timing, part, listener
        self._deployed = deployed
        self._fault = trial.cell.fault.fault
        self._planned = course(experiment, trial.cell.workload.ends_itself, self._fault != "none")
        self._rates = LoadRates(self._planned.warmup, self._planned.steady_end)
        self._network = NetworkOfLoad(deployed.lab)
        connected = self._network.begin if self._network.begins == "load" else None
        self._load = Loads(deployed, clients, self._load_plan(experiment), part, self._live, connected)
        self.stacks = Stacks(experiment.stacks, deployed, part)
        of_ledger = experiment.ledger.clients * len(clients) if experiment.ledger.rate else 0
        self._observers = Observers(deployed, part / layout.OBSERVED, experiment.observe, of_ledger)
        self._faults: FaultRunner | None = None
        self._dead = self._injected = False
        self._began = 0.0
        # The moment after the start, and CPU seconds of the controller and its live pages until then.
        self._since = self._used = self._served = 0.0
        self._cores = (0.0, 0.0)
        self._results: list[LoadSummary] = []

    def __exit__(self, *_: object) -> None:
        self._load.stop()
        self.stacks.end()
        self._observers.stop()
        keep_measurements(self._part, self._load.clients, self._observers.tables)
        self.stacks.keep()

    @property
    def faults(self) -> FaultRunner:
        """Return the timeline of faults, which exists once the load has started."""
        assert self._faults is not None
        return self._faults

    def warm_up(self) -> None:
        """Start the load and the observers, and apply the network conditions."""
        planned = self._planned
        self.stacks.start()
        self._began = self._load.start() / 1e9
        self.stacks.watch(self._load.started_ns)
        unix = time.time() - (time.monotonic() - self._began)
        self._listener(
            LoadStarted(self._trial.id, round(unix, 3), planned.warmup, planned.steady_end, planned.end)
        )
        self._used, self._served, self._since = controller_seconds(), serve_seconds(), time.monotonic()
        self._observers.start(self._load.started_ns)
        self._faults = FaultRunner(
            self._trial.cell.fault,
            self._deployed,
            self._load.started_ns,
            self._began + planned.end + self._timing.settle,
            self._trial.seed,
            tell=self._report,
        )
        self._listener(TrialPhase(self._trial.id, "warm-up and steady load", planned.steady_end))
        if self._network.begins == "steady":
            self._await(max(0.0, planned.warmup - BEFORE_STEADY))
            self._network.begin()

    def hold_steady(self) -> None:
        """Wait for the end of the steady window, or of the load."""
        self._await(self._planned.steady_end)
        # Without a single success there is no service that a fault could interrupt.
        self._dead = self._rates.dead(self._planned.steady_end)
        if not self._dead:
            self.stacks.require_service()

    def inject(self) -> None:
        """Inject the fault, unless the load has ended or is not served."""
        if self._fault == "none" or self._load.ended or self._dead:
            return
        self._injected = True
        within = self._timing.recovery.at_most
        self._listener(TrialPhase(self._trial.id, f"{self._fault}, then recovery", within))
        self._observers.alert()
        # Attempts of new connections are dense from the steady window's end on: some precede the fault.
        time.sleep(_TRIES_BEFORE)
        self.faults.begin()

    def recover(self) -> None:
        """Wait for the end of the load, which may follow the recovery."""
        early = early_end(
            self._timing.recovery, self.faults, self._rates, self._load.started_ns, lambda: self.stacks.back
        )
        enough = early if self._injected else lambda: self._dead
        self._results = self._load.await_end(self._planned.end + 60.0, enough)
        self.stacks.end()
        self.faults.end_early("the load ended")
        # Fixed work may be done long before its time limit.
        self.faults.hurry(time.monotonic() + self._timing.settle)
        passed = time.monotonic() - self._since
        cpu, serve = controller_seconds() - self._used, max(0.0, serve_seconds() - self._served)
        self._cores = round(cpu / passed, 4), round(serve / passed, 4)

    def loaded(self) -> Loaded:
        """Return the results of the load, after the `with` block."""
        clients, results = self._load.clients, self._results
        load = _merged(self._part, clients, results)
        windows = self._planned.windows(load, self._injected)
        return Loaded(windows, load, _client_records(clients, results), *self._cores)

    def unobserved(self) -> list[Unobserved]:
        """Return figures that the observers miss, and why, after the `with` block."""
        return self._observers.unobserved()

    def end_network(self) -> None:
        """Remove the network conditions before the checks."""
        self._network.end()

    def events(self, load: LoadSummary, faults: list[FaultRecord]) -> list[Event]:
        """Return what happened, in chronological order, and why no fault was injected if so."""
        events = self._network.among(self.faults.events(), load)
        early = self._planned.too_early(load, self._fault, faults)
        return [*events, early] if self._fault != "none" and early is not None else events

    def abandon(self) -> None:
        """End remediation and reports of faults, however the trial ended."""
        if self._faults is not None:
            self._faults.abandon()

    def _await(self, moment: float) -> None:
        """Wait for a moment of the load, in seconds from its start; fixed work may be done before."""
        self._load.await_moment(self._began + moment, or_end=self._planned.works)

    def _live(self, line: dict[str, Any]) -> None:
        self._rates.note(line["t"], line["tps"])
        self._listener(TrialLive(self._trial.id, **{name: line[name] for name in _LIVE}))

    def _report(self, event: Event) -> None:
        self._listener(TrialEvent(self._trial.id, event.t, event.kind, event.node, event.detail))

    def _load_plan(self, experiment: Experiment) -> LoadPlan:
        """Return the plan that all generators of the load share."""
        cell, planned = self._trial.cell, self._planned
        dense_from = None if self._fault == "none" else planned.steady_end
        return LoadPlan(
            cell.workload,
            cell.connections,
            planned.end,
            self._trial.seed,
            experiment.load,
            experiment.ledger.flags(dense_from, self._deployed.solution.hosts.bears_connection_every),
            warmup=planned.warmup,
        )


def _merged(part: Path, clients: Sequence[Client], results: Sequence[LoadSummary]) -> LoadSummary:
    """Merge the results of the loads, including their response times."""
    each = {client.plan.name: item for client, item in zip(clients, results, strict=True)}
    if len(each) == 1:
        return merged(each)
    merge_latencies(part, each)
    return merged(each, connect_times(part / layout.LATENCY))


def _client_records(clients: Sequence[Client], results: Sequence[LoadSummary]) -> list[ClientRecord]:
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
