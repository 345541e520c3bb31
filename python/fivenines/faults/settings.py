"""Settings that all faults share."""

from dataclasses import dataclass
from random import Random
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration
from fivenines.servers.cluster.topology import Topology

# System calls on files that a fault delays or refuses; see `lab.disks.disk`.
DiskCalls = Literal["sync", "write"]


@dataclass(frozen=True)
class Step:
    """A single fault of a trial, `at` seconds after the first one."""

    at: float
    fault: "FaultSettings"


class FaultSettings(Settings):
    """Settings of every fault; `fault` names its kind, and each subclass narrows it."""

    fault: str = Field(description="the kind of fault")
    name: str = Field("", description="name in reports; default: the kind and the settings that differ")
    mtbf: Annotated[Duration, Field(gt=0)] | None = Field(
        None, description="assumed mean time between two such faults in production, such as 720h"
    )
    only: list[str] = Field(
        default_factory=list, description="names of the solutions to run this fault with; empty: all"
    )

    @property
    def lasts(self) -> float | None:
        """Return the seconds from injection to recovery; None: no recovery, or the fault ends by itself."""
        for key in ("duration", "restart_after"):
            if key in type(self).model_fields:
                seconds: float | None = getattr(self, key)
                return seconds
        return None

    def schedule(self, _random: Random) -> list[Step]:
        """Return the single faults of this fault, in order of their times."""
        return [Step(0.0, self)]

    def longest(self) -> float:
        """Return the longest known time from the first injection to the end of the last fault, in seconds."""
        return self.lasts or 0.0

    def expected(self, topology: Topology) -> float:
        """Return the seconds that the fault is expected to take with a solution, by default `longest`."""
        return self.longest()

    def problems_with(self, topology: Topology) -> list[str]:
        """Return why the fault does not fit a solution, as sentences that begin with the wrong setting."""
        return []

    def sites(self) -> list[str]:
        """Return the sites that the fault names."""
        return []

    def disk_calls(self) -> frozenset[DiskCalls]:
        """Return the calls to the disk that must be intercepted from the start of the servers."""
        return frozenset()


class NodeFaultSettings(FaultSettings):
    """Settings of a fault whose target hosts are resolved at the time of the injection."""

    # What the target can name: servers that accept SQL, all servers of the cluster, or any hosts.
    hits: ClassVar[Literal["nodes", "servers", "hosts"]] = "servers"

    target: str = Field("primary", description="target of the fault, see Targets")

    def problems_with(self, topology: Topology) -> list[str]:
        from fivenines.faults import targets  # noqa: PLC0415  (targets imports this module)

        return targets.problems_of(self.target, topology, self.hits)

    def sites(self) -> list[str]:
        from fivenines.faults import targets  # noqa: PLC0415

        return targets.sites_in(self.target)


class ServiceFaultSettings(FaultSettings):
    """Settings of a fault that ends a process other than a server; its kind is also its target."""

    restart_after: Duration | None = Field(
        5.0, description="time until the process is restarted; null: no restart"
    )

    def problems_with(self, topology: Topology) -> list[str]:
        from fivenines.faults import targets  # noqa: PLC0415

        return targets.problems_of(self.fault, topology)
