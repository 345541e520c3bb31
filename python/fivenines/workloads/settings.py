"""What all workloads share: schema, data set and transactions."""

from pydantic import Field

from fivenines.settings import Settings


class WorkloadSettings(Settings):
    """Settings of any workload; `workload` names its kind and is narrowed by each subclass."""

    workload: str = Field(description="the kind of workload")
    name: str = Field("", description="how reports call it; by default the kind")

    @property
    def writes(self) -> bool:
        """Whether the load itself writes."""
        raise NotImplementedError

    def data_set(self) -> dict[str, str | int]:
        """What tells its data set from others: the workload family and the scale."""
        raise NotImplementedError

    def load_flags(self) -> list[str]:
        """Its flags for `fivenines-core load`."""
        raise NotImplementedError

    def prepare_flags(self) -> list[str]:
        """Its flags for `fivenines-core prepare`."""
        raise NotImplementedError
