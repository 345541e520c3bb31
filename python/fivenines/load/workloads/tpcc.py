"""TPC-C: nine tables of a wholesale supplier, five transactions.

Source: Transaction Processing Performance Council, "TPC Benchmark C Standard Specification",
revision 5.11, 2010. The load follows its schema, population, mix and consistency rules, but it is not
an audited implementation, and its results are not official.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.load.workloads import tpcc_conditions
from fivenines.load.workloads.invariant import Check
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.load.workloads.shares import share_problem

TRANSACTIONS = ("new_order", "payment", "order_status", "delivery", "stock_level")


class Tpcc(WorkloadSettings):
    """TPC-C: `warehouses` warehouses of about 100 MB each; five transactions in a mix."""

    family = "tpcc"
    scale = ("warehouses", "foreign_keys")

    workload: Literal["tpcc"] = Field(description="TPC-C: orders, payments, deliveries of warehouses")
    warehouses: Annotated[int, Field(ge=1, le=100_000)] = Field(1, description="number of warehouses")
    mix: str = Field(
        "45,43,4,4,4", description="five percentages separated by commas: " + ", ".join(TRANSACTIONS)
    )
    think_times: bool = Field(
        False, description="whether to use keying and think times as specified; else full speed"
    )
    home: Literal["fixed", "random"] = Field(
        "fixed", description="fixed: each connection uses one warehouse; random: another one each time"
    )
    foreign_keys: bool = Field(False, description="whether foreign keys between tables are declared")

    def problems(self) -> list[str]:
        problem = share_problem(self.mix, TRANSACTIONS)
        return [f"mix: {problem}"] if problem else []

    def invariants(self) -> Sequence[Check]:
        return tpcc_conditions.CONDITIONS
