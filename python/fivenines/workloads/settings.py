"""What all workloads share: schema, data set and transactions."""

from pydantic import Field

from fivenines.settings import Settings


class WorkloadSettings(Settings):
    """Settings of any workload; `workload` names its kind and is narrowed by each subclass."""

    workload: str = Field(description="the kind of workload")
    name: str = Field("", description="how reports call it; by default the kind")
