"""Registers: single values whose reads, in the order of time, show whether there is one copy of the data.

Source: the register workloads of Jepsen (jepsen.tests.linearizable-register).
"""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.load.workloads.settings import WorkloadSettings


class RegistersOptions(Settings):
    """Settings of the registers, as the load or alongside it."""

    keys: Annotated[int, Field(ge=1, le=10_000)] = Field(5, description="number of registers")
    reads: Annotated[int, Field(ge=0, le=100)] = Field(
        50, description="percentage of reads among the operations"
    )
    read_only: Annotated[int, Field(ge=0, lt=100)] = Field(
        0,
        description="percentage of operations that are further reads; they go to the replicas where the "
        "solution has an endpoint for reads",
    )


class Registers(WorkloadSettings, RegistersOptions):
    """Registers as the load: each operation is one statement, a write or a read of one register."""

    family = "registers"

    workload: Literal["registers"] = Field(description="writing and reading single registers")

    def data_set(self) -> dict[str, str | int]:
        return {"family": "none"}  # the load creates its table
