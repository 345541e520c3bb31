"""Fault `storage-failure`: parts of a storage that servers share fail, and others stand in."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Injection
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.units import Duration


class StorageFailureSettings(FaultSettings):
    """Some of the disks of a storage with copies of its own, as Aurora's, fail for a time."""

    fault: Literal["storage-failure"] = Field(description="parts of a shared storage fail")
    percent: Annotated[float, Field(gt=0, le=100)] = Field(
        50.0, description="how much of the storage fails, in percent"
    )
    duration: Duration | None = Field(10.0, description="how long it is away")

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.storage_can_fail:
            return []
        return [f"{topology.solution} has no storage with copies of its own; aurora has"]


class StorageFailure(Fault[StorageFailureSettings]):
    """By the solution's own means alone, see `Solution.fault`."""

    settings_type = StorageFailureSettings

    def inject(self, context: FaultContext) -> Injection:
        raise FiveninesError(f"{context.solution.name} has no storage with copies of its own")
