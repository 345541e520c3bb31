"""sysbench's OLTP family, with the schema, statements and parameters of sysbench 1.0.20.

Source: sysbench 1.0.20, src/lua/oltp_common.lua and src/sb_rand.c.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.load.workloads.settings import WorkloadSettings

Count = Annotated[int, Field(ge=0, le=1000)]


class Oltp(WorkloadSettings):
    """sysbench OLTP: `tables` tables of `table_size` rows; the kind chooses the transaction."""

    family = "oltp"
    scale = ("tables", "table_size", "auto_inc", "secondary_indexes", "secondary")
    about: ClassVar = {
        "oltp_point_select": "sysbench: one select by the primary key",
        "oltp_read_only": "sysbench: point selects and range queries",
        "oltp_write_only": "sysbench: updates, a delete and an insert",
        "oltp_read_write": "sysbench: selects, ranges, updates, delete, insert",
        "oltp_update_index": "sysbench: one update of an indexed column",
        "oltp_update_non_index": "sysbench: one update of a column without an index",
        "oltp_insert": "sysbench: one insert",
        "oltp_delete": "sysbench: one delete by the primary key",
    }

    workload: Literal[
        "oltp_point_select",
        "oltp_read_only",
        "oltp_write_only",
        "oltp_read_write",
        "oltp_update_index",
        "oltp_update_non_index",
        "oltp_insert",
        "oltp_delete",
    ] = Field(description="one of sysbench's OLTP transactions")
    tables: Annotated[int, Field(ge=1, le=1000)] = Field(4, description="number of tables")
    table_size: Annotated[int, Field(ge=1, le=100_000_000)] = Field(10_000, description="rows in each table")
    auto_inc: bool = Field(
        True, description="whether the server assigns ids to inserted rows; else the client does"
    )
    secondary_indexes: Annotated[int, Field(ge=0, le=3)] = Field(
        1, description="number of secondary indexes per table: on k, then on c, then on pad"
    )
    secondary: bool = Field(
        False, description="whether id has a plain index instead of the primary key (sysbench --secondary)"
    )
    distribution: Literal["special", "uniform", "pareto", "gaussian", "zipfian"] = Field(
        "special", description="distribution of row ids (sysbench --rand-type)"
    )
    range_size: Annotated[int, Field(ge=1)] = Field(100, description="rows per range query")
    point_selects: Count = Field(10, description="point selects per transaction")
    simple_ranges: Count = Field(1, description="simple range selects per transaction")
    sum_ranges: Count = Field(1, description="range sums per transaction")
    order_ranges: Count = Field(1, description="ordered range selects per transaction")
    distinct_ranges: Count = Field(1, description="distinct range selects per transaction")
    index_updates: Count = Field(1, description="updates of the indexed column per transaction")
    non_index_updates: Count = Field(1, description="updates of another column per transaction")
    delete_inserts: Count = Field(1, description="delete and insert pairs per transaction")
    skip_trx: bool = Field(False, description="run the statements without BEGIN and COMMIT")
    rand_spec_iter: Annotated[int, Field(ge=1, le=1000)] = Field(
        12, description="numbers that are averaged for a value of `special` and `gaussian`"
    )
    rand_spec_pct: Annotated[int, Field(ge=0, le=100)] = Field(
        1, description="percentage of rows that `special` prefers"
    )
    rand_spec_res: Annotated[int, Field(ge=0, le=99)] = Field(
        75, description="percentage of choices from the preferred rows of `special`"
    )
    rand_pareto_h: Annotated[float, Field(gt=0, lt=1)] = Field(0.2, description="parameter h of `pareto`")
    rand_zipfian_exp: Annotated[float, Field(ge=0, le=10)] = Field(0.8, description="exponent of `zipfian`")

    def key_range(self) -> tuple[str, str, int, str] | None:
        # An insert chooses no row.
        return None if self.workload == "oltp_insert" else ("sbtest1", "id", self.table_size, "--table-size")
