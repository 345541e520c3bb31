"""Fault `storage-failure`: fail a part of a shared, replicated storage."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults.base import Fault, Injection
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.servers.cluster.topology import Topology


class StorageFailureSettings(FaultSettings):
    """Fail some of the disks of a replicated storage, such as Aurora's, for a while."""

    fault: Literal["storage-failure"] = Field(description="fail a part of a shared, replicated storage")
    percent: Annotated[float, Field(gt=0, le=100)] = Field(
        50.0, description="part of the storage that fails, in percent"
    )
    duration: Duration | None = Field(10.0, description="time that this part is unavailable")

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.storage_can_fail:
            return []
        return [f"{topology.solution} has no replicated storage; aurora has"]


class StorageFailure(Fault[StorageFailureSettings]):
    """Placeholder: only a solution can inject this fault, see `Solution.fault`."""

    settings_type = StorageFailureSettings

    def inject(self, context: FaultContext) -> Injection:
        raise FiveninesError(f"fault storage-failure: {context.solution.name} has no replicated storage")
