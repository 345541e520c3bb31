"""CRUD: a mix of selects, inserts, updates and deletes on parent and child tables.

Source: tables and mix as in Tusa, "AWS Aurora Benchmarking - Blast or Splash?", 2015 (the author's stress
tool, the compliance runs).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.load.workloads.invariant import Check
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.load.workloads.shares import sum_problem
from fivenines.load.workloads.stress import stress_checks

Tables = Annotated[int, Field(ge=1, le=1000)]
Share = Annotated[float, Field(ge=0, le=100)]

_STATEMENTS = ("select", "insert", "update", "delete")
_READS = ("read_primary", "read_index", "read_range", "read_in", "read_exact")


class Crud(WorkloadSettings):
    """CRUD: five kinds of reads, inserts, updates and deletes, with configurable shares."""

    family = "crud"
    scale = ("parents", "children", "rows", "foreign_keys")

    workload: Literal["crud"] = Field(description="selects, inserts, updates and deletes")
    parents: Tables = Field(15, description="number of parent tables")
    children: Annotated[int, Field(ge=0, le=1000)] = Field(15, description="number of child tables")
    rows: Annotated[int, Field(ge=1, le=1_000_000_000)] = Field(
        100_000, description="rows loaded in advance, over all parent tables"
    )
    foreign_keys: bool = Field(True, description="whether children reference parents by foreign keys")
    batch: Annotated[int, Field(ge=1, le=8000)] = Field(1, description="rows per INSERT")
    batch_share: Share = Field(
        100.0,
        description="percentage of inserts with `batch` rows; the others have one row and are counted "
        "separately",
    )
    select: Share = Field(50.0, description="percentage of reads")
    insert: Share = Field(20.0, description="percentage of inserts")
    update: Share = Field(20.0, description="percentage of updates")
    delete: Share = Field(10.0, description="percentage of deletes")
    read_primary: Share = Field(40.0, description="percentage of reads by primary key")
    read_index: Share = Field(20.0, description="percentage of reads by a secondary index")
    read_range: Share = Field(20.0, description="percentage of reads of a range")
    read_in: Share = Field(10.0, description="percentage of reads with IN (...)")
    read_exact: Share = Field(10.0, description="percentage of reads by an exact match")

    def problems(self) -> list[str]:
        """Return problems of the shares."""
        found = []
        for names in (_STATEMENTS, _READS):
            problem = sum_problem([getattr(self, name) for name in names])
            found += [f"{', '.join(names)}: {problem}"] if problem else []
        return found

    def invariants(self) -> Sequence[Check]:
        mixed = self.batch > 1 and self.batch_share < 100
        adds = {"insert": 1, "insert_batch": self.batch} if mixed else {"insert": self.batch}
        adds["delete"] = -1
        return stress_checks(self.parents, self.children, self.batch, adds)
