"""The experiment: what a file says, with all defaults filled in."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from fivenines import plugins
from fivenines.experiment.availability import AvailabilitySettings
from fivenines.experiment.clients import ClientSettings
from fivenines.experiment.cost import CostSettings
from fivenines.experiment.interleaved_settings import InterleavedSettings
from fivenines.experiment.ledger import LedgerSettings
from fivenines.experiment.timing import Timing
from fivenines.faults.none import NoFaultSettings
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.load.settings import LoadSettings
from fivenines.observe.settings import ObserveSettings
from fivenines.requirements.decide import DecideSettings
from fivenines.requirements.thresholds import ThresholdSettings
from fivenines.requirements.trials import TrialsSettings, exactly
from fivenines.settings import Settings
from fivenines.solutions.settings import SolutionSettings
from fivenines.workloads.settings import WorkloadSettings

if TYPE_CHECKING:
    AnySolution = SolutionSettings
    AnyWorkload = WorkloadSettings
    AnyFault = FaultSettings
else:
    AnySolution = plugins.settings_union("fivenines.solutions", SolutionSettings, "solution")
    AnyWorkload = plugins.settings_union("fivenines.workloads", WorkloadSettings, "workload")
    AnyFault = plugins.settings_union("fivenines.faults", FaultSettings, "fault")

Connections = Annotated[int, Field(ge=1, le=100_000)]


def _no_fault() -> list[AnyFault]:
    return [NoFaultSettings()]


class Experiment(Settings):
    """A matrix of solutions x workloads x connections x network x faults, times trials."""

    name: str = Field(min_length=1, description="what reports are headed with")
    description: str = Field("", description="what question the experiment answers")
    seed: int = Field(1, description="seed of the trials' order and of all random choices")
    trials: TrialsSettings = Field(
        exactly(3),
        description="trials of each cell: a number, or as many as are needed until a measure is known",
    )
    design: Literal["trials", "interleaved"] = Field(
        "trials",
        description="how speed is compared. trials: in trials of each solution alone. interleaved: with all "
        "solutions up side by side, loaded in turn in short windows, which tells smaller differences in "
        "the same time; trials are then left for the faults",
    )
    interleaved: InterleavedSettings = Field(
        default_factory=InterleavedSettings, description="turns of the solutions, with `design: interleaved`"
    )
    solutions: Annotated[list[AnySolution], Field(min_length=1, description="what is compared")]
    workloads: Annotated[list[AnyWorkload], Field(min_length=1, description="what they are asked")]
    connections: Annotated[list[Connections], Field(min_length=1)] = Field(
        [8], description="numbers of connections of the load"
    )
    load: LoadSettings = Field(default_factory=LoadSettings, description="how all cells are loaded")
    clients: list[ClientSettings] = Field(
        default_factory=list,
        description="hosts that load all cells, each by a load generator of its own; empty: one, `client`, "
        "with all connections",
    )
    lab: LabSettings = Field(
        default_factory=LabSettings, description="where the hosts are: on this machine, or on others"
    )
    network: Annotated[list[NetworkSettings], Field(min_length=1)] = Field(
        default_factory=lambda: [NetworkSettings()], description="networks between the hosts"
    )
    faults: Annotated[list[AnyFault], Field(min_length=1)] = Field(
        default_factory=_no_fault, description="what is broken on purpose"
    )
    timing: Timing = Field(default_factory=Timing, description="phases of a trial")
    ledger: LedgerSettings = Field(
        default_factory=LedgerSettings, description="numbered writes and reads beside the load"
    )
    observe: ObserveSettings = Field(
        default_factory=ObserveSettings, description="what is watched beside the load"
    )
    decide: DecideSettings = Field(
        default_factory=DecideSettings,
        description="what a solution must do, and what is preferred: which solution the report says to take",
    )
    thresholds: list[ThresholdSettings] = Field(
        default_factory=list,
        description='what every cell must meet, as [lost = 0, "galera: failover p95 < 10s"]; a run that '
        "fails one ends with exit code 3",
    )
    availability: AvailabilitySettings = Field(
        default_factory=AvailabilitySettings,
        description="how often faults happen, for the availability that follows from the outages",
    )
    cost: CostSettings = Field(
        default_factory=CostSettings, description="what servers cost, for the price of transactions"
    )
