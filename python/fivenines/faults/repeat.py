"""Fault `repeat`: one fault several times, at moments that nobody chose."""

from random import Random
from typing import Annotated, Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.faults.settings import DiskCalls, FaultSettings, Step
from fivenines.faults.single import AnySingle
from fivenines.units import Duration


class RepeatSettings(FaultSettings):
    """One fault once in every period, at a random moment of it, by the trial's seed.

    What a solution does between two checks of its failover manager, or during a state transfer, only
    random phases find.
    """

    fault: Literal["repeat"] = Field(description="one fault several times, at random phases")
    of: AnySingle = Field(description="the fault, as elsewhere")
    times: Annotated[int, Field(ge=1, le=100)] = Field(3, description="how often")
    every: Annotated[Duration, Field(gt=0)] = Field(
        10.0, description="length of a period; each injection is at a random moment of its own period"
    )

    def schedule(self, random: Random) -> list[Step]:
        return [
            Step(round((number + random.random()) * self.every, 3), self.of) for number in range(self.times)
        ]

    def longest(self) -> float:
        return self.times * self.every + self.of.longest()

    def expected(self, topology: Topology) -> float:
        return self.times * self.every + self.of.expected(topology)

    def problems_with(self, topology: Topology) -> list[str]:
        return self.of.problems_with(topology)

    def sites(self) -> list[str]:
        return self.of.sites()

    def disk_calls(self) -> frozenset[DiskCalls]:
        return self.of.disk_calls()
