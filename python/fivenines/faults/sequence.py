"""Fault `sequence`: several faults one after another, or at once."""

from random import Random
from typing import Annotated, Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.faults.settings import DiskCalls, FaultSettings, Step
from fivenines.faults.single import AnySingle
from fivenines.settings import Settings
from fivenines.units import Duration


class StepSettings(Settings):
    """One fault of a sequence."""

    at: Duration = Field(0.0, description="time from the beginning of the sequence to its injection")
    fault: AnySingle = Field(description="a fault, as elsewhere")


class SequenceSettings(FaultSettings):
    """Several faults, each at its moment; each is resolved, verified, ended and recorded on its own."""

    fault: Literal["sequence"] = Field(description="several faults, one after another or at once")
    steps: Annotated[list[StepSettings], Field(min_length=1)] = Field(
        description="the faults, and when they are injected"
    )

    def schedule(self, random: Random) -> list[Step]:
        found = [
            Step(one.at + inner.at, inner.fault) for one in self.steps for inner in one.fault.schedule(random)
        ]
        return sorted(found, key=lambda step: step.at)

    def longest(self) -> float:
        return max(one.at + one.fault.longest() for one in self.steps)

    def expected(self, topology: Topology) -> float:
        return max(one.at + one.fault.expected(topology) for one in self.steps)

    def problems_with(self, topology: Topology) -> list[str]:
        return [
            f"steps[{index}]: {problem}"
            for index, one in enumerate(self.steps)
            for problem in one.fault.problems_with(topology)
        ]

    def sites(self) -> list[str]:
        return [site for one in self.steps for site in one.fault.sites()]

    def disk_calls(self) -> frozenset[DiskCalls]:
        return frozenset(call for one in self.steps for call in one.fault.disk_calls())
