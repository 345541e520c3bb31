"""iiBench, the index insertion benchmark: one growing table with three secondary indexes.

Source: Tim Callaghan, "iibench-mysql"; table and indexes as in Tusa, "AWS Aurora Benchmarking - Blast or
Splash?", 2015.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.load.workloads.invariant import Check, Tally
from fivenines.load.workloads.settings import WorkloadSettings

Numbers = Annotated[int, Field(ge=1, le=1_000_000_000)]


class Iibench(WorkloadSettings):
    """iiBench: batches of rows inserted into purchases_index, with optional queries of the newest rows."""

    family = "iibench"
    scale = ("rows", "data_length", "cash_registers", "customers", "products")

    workload: Literal["iibench"] = Field(description="iiBench: inserts into a table with three indexes")
    rows: Annotated[int, Field(ge=0, le=1_000_000_000)] = Field(0, description="rows loaded in advance")
    batch: Annotated[int, Field(ge=1, le=10_000)] = Field(1000, description="rows per INSERT")
    data_length: Annotated[int, Field(ge=0, le=4000)] = Field(
        10, description="length of the column without an index"
    )
    queries: Annotated[int, Field(ge=0, le=1000)] = Field(0, description="queries per batch")
    tail: Numbers = Field(10_000, description="number of newest rows that queries read")
    cash_registers: Numbers = Field(1000, description="number of different cash registers")
    customers: Numbers = Field(100_000, description="number of different customers")
    products: Numbers = Field(10_000, description="number of different products")

    def invariants(self) -> Sequence[Check]:
        return [
            Tally(
                "purchases: loaded + inserted",
                "acknowledged transactions",
                "SELECT COUNT(*) FROM purchases_index",
                {"insert": self.batch},
            )
        ]
