"""Ingest: batches of rows into several parent tables and their children.

Source: tables and batches as in Tusa, "AWS Aurora Benchmarking - Blast or Splash?", 2015 (the author's
stress tool).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.load.workloads.invariant import Check
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.load.workloads.stress import stress_checks

Tables = Annotated[int, Field(ge=1, le=1000)]


class Ingest(WorkloadSettings):
    """Ingest: each transaction inserts a batch of rows into a parent table or a child table."""

    family = "ingest"
    scale = ("parents", "children", "rows", "foreign_keys")

    workload: Literal["ingest"] = Field(description="batched inserts into parents and children")
    parents: Tables = Field(5, description="number of parent tables")
    children: Annotated[int, Field(ge=0, le=1000)] = Field(5, description="number of child tables")
    rows: Annotated[int, Field(ge=0, le=1_000_000_000)] = Field(
        0, description="rows loaded in advance into each table"
    )
    batch: Annotated[int, Field(ge=1, le=8000)] = Field(50, description="rows per INSERT")
    foreign_keys: bool = Field(False, description="whether children reference parents by foreign keys")

    def invariants(self) -> Sequence[Check]:
        return stress_checks(self.parents, self.children, self.batch, {"insert": self.batch})
