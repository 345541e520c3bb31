"""List-append: reads of lists reveal the order in which transactions appended to them.

Source: Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental Observations",
VLDB 2020.
"""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.load.workloads.bank import Isolation
from fivenines.load.workloads.settings import WorkloadSettings


class AppendOptions(Settings):
    """Settings of the lists, as the load or alongside it."""

    keys: Annotated[int, Field(ge=1, le=10_000)] = Field(5, description="lists in use at a time")
    max_appends: Annotated[int, Field(ge=1, le=10_000)] = Field(
        32, description="appends to a list before a new list replaces it"
    )
    operations: Annotated[int, Field(ge=1, le=100)] = Field(
        4, description="largest number of operations of a transaction, which has 1 or more"
    )
    reads: Annotated[int, Field(ge=0, le=100)] = Field(
        50, description="percentage of reads among the operations"
    )
    read_only: Annotated[int, Field(ge=0, lt=100)] = Field(
        0,
        description="percentage of transactions that only read; they go to the replicas where the solution "
        "has an endpoint for reads",
    )
    isolation: Isolation = Field("server", description="isolation level; server: the server's default")


class Append(WorkloadSettings, AppendOptions):
    """List-append as the load: each transaction appends to some lists and reads others."""

    family = "append"

    workload: Literal["append"] = Field(description="appending to lists and reading them")

    def data_set(self) -> dict[str, str | int]:
        return {"family": "none"}  # the load creates its table
