"""sysbench's OLTP family, with the schema, statements and parameters of sysbench 1.0.20.

Source: sysbench 1.0.20, src/lua/oltp_common.lua and src/sb_rand.c.
"""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.workloads.settings import WorkloadSettings

Count = Annotated[int, Field(ge=0, le=1000)]


class Oltp(WorkloadSettings):
    """sysbench OLTP: `tables` tables of `table_size` rows; the kind chooses the transaction."""

    workload: Literal[
        "oltp_point_select",
        "oltp_read_only",
        "oltp_write_only",
        "oltp_read_write",
        "oltp_update_index",
        "oltp_update_non_index",
        "oltp_insert",
        "oltp_delete",
    ] = Field(description="which of sysbench's OLTP transactions")
    tables: Annotated[int, Field(ge=1, le=1000)] = Field(4, description="number of tables")
    table_size: Annotated[int, Field(ge=1, le=100_000_000)] = Field(
        10_000, description="rows in each table"
    )
    distribution: Literal["special", "uniform", "pareto", "gaussian", "zipfian"] = Field(
        "special", description="how row ids are chosen (sysbench --rand-type)"
    )
    range_size: Annotated[int, Field(ge=1)] = Field(100, description="rows in a range query")
    point_selects: Count = Field(10, description="point selects in a transaction")
    simple_ranges: Count = Field(1, description="simple range selects in a transaction")
    sum_ranges: Count = Field(1, description="range sums in a transaction")
    order_ranges: Count = Field(1, description="ordered range selects in a transaction")
    distinct_ranges: Count = Field(1, description="distinct range selects in a transaction")
    index_updates: Count = Field(1, description="updates of the indexed column in a transaction")
    non_index_updates: Count = Field(1, description="updates of another column in a transaction")
    delete_inserts: Count = Field(1, description="delete and insert pairs in a transaction")
    skip_trx: bool = Field(False, description="run the statements without BEGIN and COMMIT")

    @property
    def writes(self) -> bool:
        """Whether the load itself writes."""
        return self.workload not in ("oltp_point_select", "oltp_read_only")

    def data_set(self) -> dict[str, str | int]:
        return {"family": "oltp", "tables": self.tables, "table_size": self.table_size}

    def prepare_flags(self) -> list[str]:
        return [
            "--workload", "oltp", "--tables", str(self.tables), "--table-size", str(self.table_size),
        ]  # fmt: skip

    def load_flags(self) -> list[str]:
        named = self.model_dump(exclude={"workload", "name", "skip_trx"})
        flags = ["--workload", self.workload]
        for name, value in named.items():
            flags += [f"--{name.replace('_', '-')}", str(value)]
        return flags + (["--skip-trx"] if self.skip_trx else [])
