"""What all faults share: something broken on purpose, at a moment of the trial."""

from dataclasses import dataclass
from random import Random
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.settings import Settings
from fivenines.units import Duration

DiskCalls = Literal["sync", "write"]
"""Which calls to the disk a fault interferes with; see `lab.disk`."""


@dataclass(frozen=True)
class Step:
    """One single fault of a trial, `at` seconds after the moment of the first."""

    at: float
    fault: "FaultSettings"


class FaultSettings(Settings):
    """Settings of any fault; `fault` names its kind and is narrowed by each subclass."""

    fault: str = Field(description="the kind of fault")
    name: str = Field("", description="how reports call it; by default kind and what differs")
    mtbf: Annotated[Duration, Field(gt=0)] | None = Field(
        None, description="assumed mean time between two such faults in production, as 720h"
    )
    only: list[str] = Field(
        default_factory=list,
        description="names of the solutions that it is for; empty: all. Other pairs are left out",
    )

    @property
    def lasts(self) -> float | None:
        """Seconds from the injection until it is recovered from; None: it never is, or ends by itself."""
        for key in ("duration", "restart_after"):
            if key in type(self).model_fields:
                seconds: float | None = getattr(self, key)
                return seconds
        return None

    def schedule(self, _random: Random) -> list[Step]:
        """The single faults that it is made of, in the order of their moments."""
        return [Step(0.0, self)]

    def longest(self) -> float:
        """Seconds from the first injection to the end of the last fault at the latest, as far as known."""
        return self.lasts or 0.0

    def expected(self, topology: Topology) -> float:
        """Seconds that it is expected to take with a solution: by its servers, or `longest`."""
        return self.longest()

    def problems_with(self, topology: Topology) -> list[str]:
        """Why it makes no sense for a solution: sentences that begin with what is wrong."""
        return []

    def sites(self) -> list[str]:
        """The sites that it names."""
        return []

    def disk_calls(self) -> frozenset[DiskCalls]:
        """Which calls to the disk must be prepared for interference, before the servers start."""
        return frozenset()


class NodeFaultSettings(FaultSettings):
    """Settings of a fault that hits hosts, chosen at the moment of the injection."""

    hits: ClassVar[Literal["nodes", "servers", "hosts"]] = "servers"
    """What its target names: servers that clients speak to, all servers of the cluster, any hosts."""

    target: str = Field("primary", description="who is hit, see Targets")

    def problems_with(self, topology: Topology) -> list[str]:
        from fivenines.faults import targets  # noqa: PLC0415  (targets know the settings)

        return targets.problems_of(self.target, topology, self.hits)

    def sites(self) -> list[str]:
        from fivenines.faults import targets  # noqa: PLC0415

        return targets.sites_in(self.target)


class ServiceFaultSettings(FaultSettings):
    """Settings of a fault that ends a process beside the servers; the kind names the target, too."""

    restart_after: Duration | None = Field(
        5.0, description="time until it is started again; null: it stays away"
    )

    def problems_with(self, topology: Topology) -> list[str]:
        from fivenines.faults import targets  # noqa: PLC0415

        return targets.problems_of(self.fault, topology)
