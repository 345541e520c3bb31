"""Settings that all faults share."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration, format_duration
from fivenines.faults.severity import SeveritySettings, Unit
from fivenines.servers.cluster.topology import Topology

# System calls on files that a fault delays or refuses; see `lab.disks.disk`.
DiskCalls = Literal["sync", "write"]


@dataclass(frozen=True)
class Step:
    """A single fault of a trial.

    Attributes:
        at: seconds from the beginning of all faults; in turn: from the recovery from the fault before.
        fault: its settings.
        in_turn: whether it waits until the cluster has recovered from the fault before.
    """

    at: float
    fault: "FaultSettings"
    in_turn: bool = False


# Keys of the time until a fault ends.
LENGTHS = ("duration", "restart_after")


class SearchSettings(Settings):
    """The range in which a fault's length is searched."""

    at_least: Annotated[Duration, Field(gt=0)] = Field(0.5, description="shortest fault to try")
    at_most: Annotated[Duration, Field(gt=0)] = Field(30.0, description="longest fault to try")

    def problems(self) -> list[str]:
        if self.at_least < self.at_most:
            return []
        return [f"at_most: {format_duration(self.at_most)} is not longer than at_least"]


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

    search: SearchSettings | None = Field(
        None,
        description="find the length of the fault at which the cluster fails over in half of the trials: the "
        "length of each trial follows from the trials before, and `trials` is the largest number of them",
    )

    severity: SeveritySettings | None = Field(
        None,
        description="find the severity from which fewer than half of the transactions are served, and that "
        "from which the cluster fails over: the value of a setting in each trial follows from the trials "
        "before, and `trials` is the largest number of them",
    )

    # Settings whose severity can be searched, with what they are.
    severities: ClassVar[Mapping[str, Unit]] = {}

    @classmethod
    def length_key(cls) -> str:
        """Return the key of the time until the fault ends; empty if it has none."""
        return next((key for key in LENGTHS if key in cls.model_fields), "")

    @property
    def lasts(self) -> float | None:
        """Return the seconds from injection to recovery; None: no recovery, or the fault ends by itself."""
        if self.search is not None:
            return self.search.at_most
        key = self.length_key()
        seconds: float | None = getattr(self, key) if key else None
        return seconds

    @property
    def searched(self) -> bool:
        """Return whether its length or its severity follows from the trials before."""
        return self.search is not None or self.severity is not None

    @property
    def harmless(self) -> bool:
        """Return whether the user says that it kills no server and ends by itself."""
        return False

    def length_problem(self) -> str:
        """Return why its length cannot be chosen; empty if it can."""
        return "" if self.length_key() else f"{self.fault} has no length"

    def lasting(self, seconds: float) -> "FaultSettings":
        """Return the fault with this length, without a search."""
        return self.model_copy(update={self.length_key(): seconds, "search": None})

    def of_severity(self, value: float) -> "FaultSettings":
        """Return the fault with this value of the searched setting, without a search."""
        assert self.severity is not None
        return self.model_copy(update={self.severity.of: value, "severity": None})

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
