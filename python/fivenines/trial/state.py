"""What is known of a running trial. It becomes the trial's record, whether or not the trial breaks."""

import time
from dataclasses import dataclass, field

from fivenines.experiment.plan import Trial
from fivenines.results.basics import ClockRecord
from fivenines.results.load_summary import LoadSummary
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
    Unobserved,
    Windows,
    WorkerRecord,
)
from fivenines.results.stacks import StackRecord


@dataclass(frozen=True)
class Loaded:
    """Results of the load.

    Attributes:
        windows: phases of the load, in ms from its start.
        load: its summary, merged over all clients.
        clients: one record for each of several clients; empty for a single one.
        controller_cpu: cores that fivenines used outside the lab during the load, as a mean.
        serve_cpu: cores that its live pages used, as a mean.
    """

    windows: Windows
    load: LoadSummary
    clients: list[ClientRecord]
    controller_cpu: float
    serve_cpu: float


@dataclass
class TrialState:
    """The fields of the record, each filled in as soon as it is known."""

    trial: Trial
    attempt: int
    began: float
    started: str
    worker: WorkerRecord | None = None
    deployment: Deployment | None = None
    loaded: Loaded | None = None
    settled: str = ""
    settle_seconds: float | None = None
    faults: list[FaultRecord] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    unobserved: list[Unobserved] = field(default_factory=list)
    clocks: dict[str, ClockRecord] = field(default_factory=dict)
    in_effect_after: SettingsCheck | None = None
    check: Check | None = None
    divergence: Divergence | None = None
    isolation: list[Isolation] = field(default_factory=list)
    invariants: list[InvariantCheck] = field(default_factory=list)
    stacks: list[StackRecord] = field(default_factory=list)

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
            severity=self.trial.severity,
            in_effect_after=self.in_effect_after,
            settled=self.settled,
            settle_seconds=self.settle_seconds,
            check=self.check,
            divergence=self.divergence,
            isolation=self.isolation,
            invariants=self.invariants,
            load=self.loaded.load if self.loaded else LoadSummary(),
            clients=self.loaded.clients if self.loaded else [],
            stacks=self.stacks,
            pause_seconds=round(self.trial.pause, 3) if self.loaded else None,
            unobserved=self.unobserved,
            clocks=self.clocks,
            controller_cpu=self.loaded.controller_cpu if self.loaded else None,
            serve_cpu=self.loaded.serve_cpu if self.loaded else None,
            events=self.events,
        )
