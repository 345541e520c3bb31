"""Fault `repeat`: inject one fault several times, at random moments."""

from random import Random
from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.faults.settings import DiskCalls, FaultSettings, Step
from fivenines.faults.single import AnySingle
from fivenines.servers.cluster.topology import Topology


class RepeatSettings(FaultSettings):
    """Inject one fault once per period, at a random moment that the trial's seed determines.

    Random phases reach states between two checks of a failover manager, or during a state transfer.
    """

    fault: Literal["repeat"] = Field(description="inject one fault several times, at random moments")
    of: AnySingle = Field(description="the fault to repeat")
    times: Annotated[int, Field(ge=1, le=100)] = Field(3, description="number of injections")
    every: Annotated[Duration, Field(gt=0)] = Field(
        10.0, description="length of a period; each period has one injection, at a random moment"
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
