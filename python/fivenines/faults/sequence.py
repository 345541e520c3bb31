"""Fault `sequence`: inject several faults, one after another or at once."""

from random import Random
from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration
from fivenines.faults.settings import DiskCalls, FaultSettings, Step
from fivenines.faults.single import AnySingle
from fivenines.servers.cluster.topology import Topology


class StepSettings(Settings):
    """One fault of a sequence."""

    at: Duration = Field(0.0, description="time from the start of the sequence to the injection")
    fault: AnySingle = Field(description="the fault to inject")


class SequenceSettings(FaultSettings):
    """Inject several faults at given times. Each is resolved, verified, ended and recorded separately."""

    fault: Literal["sequence"] = Field(description="inject several faults, one after another or at once")
    steps: Annotated[list[StepSettings], Field(min_length=1)] = Field(
        description="the faults and their injection times"
    )

    def schedule(self, random: Random) -> list[Step]:
        injections = [
            Step(step.at + inner.at, inner.fault)
            for step in self.steps
            for inner in step.fault.schedule(random)
        ]
        return sorted(injections, key=lambda step: step.at)

    def longest(self) -> float:
        return max(step.at + step.fault.longest() for step in self.steps)

    def expected(self, topology: Topology) -> float:
        return max(step.at + step.fault.expected(topology) for step in self.steps)

    def problems_with(self, topology: Topology) -> list[str]:
        return [
            f"steps[{index}]: {problem}"
            for index, step in enumerate(self.steps)
            for problem in step.fault.problems_with(topology)
        ]

    def sites(self) -> list[str]:
        return [site for step in self.steps for site in step.fault.sites()]

    def disk_calls(self) -> frozenset[DiskCalls]:
        return frozenset(call for step in self.steps for call in step.fault.disk_calls())
