"""A trial as a story: deploy, warm up, hold steady, inject, recover, settle, verify."""

import time
from contextlib import closing, suppress
from pathlib import Path

from fivenines.analysis.consistency.isolation.check import judge
from fivenines.experiment.sections.clients import clients_of, with_clients
from fivenines.experiment.spec import Experiment
from fivenines.results import layout
from fivenines.results.configuration import keep
from fivenines.trial import verification
from fivenines.trial.deployment.deployed import Deploy, Deployed, data_set
from fivenines.trial.deployment.in_effect import in_effect_after
from fivenines.trial.measurement import Measurement
from fivenines.trial.observers.idle import idle_usage
from fivenines.trial.progress import Listener, TrialPhase
from fivenines.trial.state import Loaded, TrialState


def perform(
    state: TrialState, experiment: Experiment, part: Path, listener: Listener, deploy: Deploy
) -> None:
    """Run all steps of a trial; `state` has what is known, also after a failed step.

    Args:
        state: what is known of the trial.
        experiment: its experiment.
        part: the folder for its tables and logs.
        listener: gets its events.
        deploy: makes the deployment.
    """
    cell = state.trial.cell
    data = data_set(cell.solution, cell.workload, lambda _message, _fraction: None)
    network = with_clients(cell.network, experiment.clients)
    with (
        deploy(cell.solution, data, part / "lab", network, experiment.lab) as deployed,
        closing(TrialSession(state, experiment, deployed, part, listener)) as session,
    ):
        try:
            session.deploy()
            session.measure()
            session.settle()
            session.verify()
        finally:
            with suppress(OSError):
                deployed.collect_logs(part / layout.LOGS)


class TrialSession:
    """The steps of one trial on its deployment."""

    def __init__(
        self, state: TrialState, experiment: Experiment, deployed: Deployed, part: Path, listener: Listener
    ) -> None:
        self._state, self._experiment, self._deployed = state, experiment, deployed
        self._part, self._listener = part, listener
        self._cell = state.trial.cell
        self._clients = clients_of(
            experiment.clients, self._cell.workload, self._cell.connections, experiment.load
        )
        self._before: dict[str, int] = {}
        self._measurement: Measurement | None = None

    def deploy(self) -> None:
        """Deploy the solution, describe it, and wait for the random delay before the load."""
        deployed, state = self._deployed, self._state
        deployed.solution.hosts.disk_calls = self._cell.fault.disk_calls()
        deployed.client_addresses = {client.name: client.addresses for client in self._clients}
        deployed.bring_up(lambda name: self._phase(name, 5.0))
        keep(self._part, deployed.configuration)
        state.deployment = deployed.record(idle_usage(deployed.lab.hosts, self._experiment.observe.idle))
        self._before = verification.counted_before(self._cell.workload, deployed)
        if state.trial.pause:
            self._phase("random delay before the fault", state.trial.pause)
            time.sleep(state.trial.pause)

    def measure(self) -> None:
        """Run the load, with the fault in it."""
        state = self._state
        self._measurement = Measurement(
            state.trial, self._experiment, self._clients, self._deployed, self._part, self._listener
        )
        with self._measurement as measurement:
            measurement.warm_up()
            measurement.hold_steady()
            measurement.inject()
            measurement.recover()
        state.loaded = measurement.loaded()
        state.unobserved = measurement.unobserved()
        state.stacks = measurement.stacks.records()
        # A step that fails from here on must not lose what was measured.
        state.faults = measurement.faults.records()

    def settle(self) -> None:
        """Wait until the faults have ended and all nodes are members with all rows."""
        state, deployed, measurement = self._state, self._deployed, self._measured()
        timing = self._experiment.timing
        deployed.lab.require_sound()
        state.clocks = deployed.lab.clocks.records()
        self._phase("settling", timing.settle)
        measurement.faults.finish()
        began = time.monotonic()
        missing = set(measurement.faults.unexpected_primaries())
        state.settled = deployed.settle(timing.settle, without=missing)
        state.settle_seconds = round(time.monotonic() - began, 3)
        measurement.faults.confirm()
        deployed.require_durability()
        measurement.end_network()
        state.faults = measurement.faults.records()
        state.events = measurement.events(self._loaded().load, state.faults)
        if self._cell.fault.fault != "none" and not self._cell.solution.external:
            state.in_effect_after = in_effect_after(deployed.solution, missing)

    def verify(self) -> None:
        """Check the data on all nodes, and that the load was served at all."""
        state, deployed, loaded = self._state, self._deployed, self._loaded()
        self._phase("checking", 3.0 + self._cell.solution.traits.compare_seconds)
        missing = self._measured().faults.unexpected_primaries()
        ledger = self._experiment.ledger
        if ledger.rate:
            state.check = verification.ledger(deployed, self._part, missing, loaded.load)
        stacks = self._measured().stacks
        stacks.read_rows()
        state.stacks = stacks.records()
        state.divergence = verification.differences(deployed, missing)
        state.isolation = judge(self._part, bool(state.clocks))
        rules = [*self._cell.workload.invariants(), *ledger.invariants()]
        state.invariants = verification.invariants(rules, deployed, self._before, loaded.load)
        verification.require_service(self._part, loaded)

    def close(self) -> None:
        """End what a failed trial leaves of its faults."""
        if self._measurement is not None:
            self._measurement.abandon()

    def _phase(self, name: str, seconds: float = 0.0) -> None:
        self._listener(TrialPhase(self._state.trial.id, name, seconds))

    def _measured(self) -> Measurement:
        assert self._measurement is not None
        return self._measurement

    def _loaded(self) -> Loaded:
        assert self._state.loaded is not None
        return self._state.loaded
