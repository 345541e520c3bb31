"""The model of an experiment file."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.measures.thresholds import ThresholdSettings
from fivenines.analysis.measures.trials import TrialsSettings, UntilDecidedSettings, exactly
from fivenines.base import plugins
from fivenines.base.settings import Settings
from fivenines.experiment.sections.availability import AvailabilitySettings
from fivenines.experiment.sections.clients import ClientSettings
from fivenines.experiment.sections.cost import CostSettings
from fivenines.experiment.sections.interleaved import InterleavedSettings
from fivenines.experiment.sections.ledger import LedgerSettings
from fivenines.experiment.sections.observe import ObserveSettings
from fivenines.experiment.sections.stacks import Stacks
from fivenines.experiment.sections.timing import Timing
from fivenines.experiment.sections.workload import AnyWorkload
from fivenines.faults.none import NoFaultSettings
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.load.settings import LoadSettings
from fivenines.solutions.settings import SolutionSettings

if TYPE_CHECKING:
    AnySolution = SolutionSettings
    AnyFault = FaultSettings
else:
    AnySolution = plugins.settings_union("fivenines.solutions", SolutionSettings, "solution")
    AnyFault = plugins.settings_union("fivenines.faults", FaultSettings, "fault")

Connections = Annotated[int, Field(ge=1, le=100_000)]


def _no_fault() -> list[AnyFault]:
    return [NoFaultSettings()]


class Experiment(Settings):
    """A matrix of solutions x workloads x connections x network x faults, each with several trials."""

    name: str = Field(min_length=1, description="name of the experiment, shown in reports")
    description: str = Field("", description="question that the experiment answers")
    seed: int = Field(1, description="seed of the trials' order and of all random choices")
    trials: TrialsSettings = Field(
        exactly(3),
        description="trials per cell: a number, or a rule to stop once a measure is known precisely enough",
    )
    design: Literal["trials", "interleaved"] = Field(
        "trials",
        description="how throughput is compared. trials: in separate trials of each solution. interleaved: "
        "all solutions run at the same time and are loaded in turn in short windows, which detects smaller "
        "differences in the same time; trials then measure only the faults",
    )
    interleaved: InterleavedSettings = Field(
        default_factory=InterleavedSettings, description="settings of `design: interleaved`"
    )
    until_decided: UntilDecidedSettings | None = Field(
        None,
        description="in a part of a study: end its trials and blocks once the study's claims on them are "
        "decided; `trials` and `interleaved.blocks` are then the largest numbers. Intervals allow for a look "
        "after each. null: run all",
    )
    solutions: Annotated[list[AnySolution], Field(min_length=1, description="solutions to compare")]
    workloads: Annotated[list[AnyWorkload], Field(min_length=1, description="workloads to run")]
    connections: Annotated[list[Connections], Field(min_length=1)] = Field(
        [8], description="numbers of connections of the load"
    )
    load: LoadSettings = Field(default_factory=LoadSettings, description="how the load is generated")
    clients: list[ClientSettings] = Field(
        default_factory=list,
        description="hosts that generate the load, each with its load generator; empty: one host, `client`, "
        "with all connections",
    )
    stacks: Stacks = Field(
        default_factory=list,
        description="client stacks: drivers with their pools that write alongside the load, to measure an "
        "outage as applications have it; the word `all`: every built-in one, with its defaults and with "
        "recommended settings",
    )
    lab: LabSettings = Field(
        default_factory=LabSettings,
        description="location of the hosts: on this machine, or on other machines",
    )
    network: Annotated[list[NetworkSettings], Field(min_length=1)] = Field(
        default_factory=lambda: [NetworkSettings()], description="networks between the hosts"
    )
    faults: Annotated[list[AnyFault], Field(min_length=1)] = Field(
        default_factory=_no_fault, description="faults to inject"
    )
    timing: Timing = Field(default_factory=Timing, description="phases of a trial")
    ledger: LedgerSettings = Field(
        default_factory=LedgerSettings, description="numbered writes and reads alongside the load"
    )
    observe: ObserveSettings = Field(
        default_factory=ObserveSettings, description="what is observed during the load"
    )
    decide: DecideSettings = Field(
        default_factory=DecideSettings,
        description="requirements and preferences by which the report recommends a solution",
    )
    thresholds: list[ThresholdSettings] = Field(
        default_factory=list,
        description='thresholds for every cell, as [lost = 0, "galera: failover p95 < 10s"]; if one '
        "fails, the run ends with exit code 3",
    )
    availability: AvailabilitySettings = Field(
        default_factory=AvailabilitySettings,
        description="frequencies of faults, for computing the availability from the outages",
    )
    cost: CostSettings = Field(
        default_factory=CostSettings, description="prices of servers, for the price of transactions"
    )
