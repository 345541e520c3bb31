"""Bulk load: a schema with foreign keys filled from multi-row statements, as a dump would.

Source: the question is that of Tusa, "Why you should be careful when Loading data in MySQL with Galera",
2015: what foreign keys cost when a dump is loaded into Galera.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.load.workloads.invariant import Check, Invariant, Tally
from fivenines.load.workloads.settings import WorkloadSettings


class Bulkload(WorkloadSettings):
    """Bulk load: child rows of a few parents are inserted once; the load ends when all are inserted."""

    family = "bulkload"
    scale = ("foreign_keys",)
    ends_itself = True

    workload: Literal["bulkload"] = Field(description="loading tables with foreign keys, once")
    rows: Annotated[int, Field(ge=1, le=1_000_000_000)] = Field(100_000, description="number of child rows")
    batch: Annotated[int, Field(ge=1, le=10_000)] = Field(500, description="rows per INSERT")
    foreign_keys: bool = Field(True, description="whether children reference parents by foreign keys")
    checks: bool = Field(True, description="whether foreign keys and unique keys are checked while loading")

    def invariants(self) -> Sequence[Check]:
        found: list[Check] = [*_RULES]
        # A transaction loads customers of 100 items each, enough for one full statement.
        items = -(-self.batch // _ITEMS_OF_CUSTOMER) * _ITEMS_OF_CUSTOMER
        if self.rows % items == 0:
            name = f"items: {items} for each transaction, {self.rows} in the end"
            source, sql = "acknowledged transactions", "SELECT COUNT(*) FROM bulk_item"
            found.append(Tally(name, source, sql, {"load": items}))
        excess = f"SELECT COUNT(*) AS items FROM bulk_item HAVING COUNT(*) > {self.rows}"
        return [*found, Invariant("no more items than asked for", "each row is loaded once", excess)]


_ITEMS_OF_CUSTOMER = 100

_RULES = (
    Invariant(
        "each item has its order and its product",
        "foreign keys",
        """
        SELECT i.order_id, i.line, i.product_id FROM bulk_item i
        LEFT JOIN bulk_order o ON o.order_id = i.order_id
        LEFT JOIN bulk_product p ON p.product_id = i.product_id
        WHERE o.order_id IS NULL OR p.product_id IS NULL
        """,
    ),
    Invariant(
        "each order has its customer",
        "foreign keys",
        """
        SELECT o.order_id, o.customer_id FROM bulk_order o
        LEFT JOIN bulk_customer c ON c.customer_id = o.customer_id WHERE c.customer_id IS NULL
        """,
    ),
    Invariant(
        "each order has ten items, but perhaps the last",
        "customers are loaded whole or not at all",
        """
        SELECT o.order_id, COUNT(i.line) AS items FROM bulk_order o
        LEFT JOIN bulk_item i ON i.order_id = o.order_id
        WHERE o.order_id < (SELECT MAX(order_id) FROM bulk_order)
        GROUP BY o.order_id HAVING COUNT(i.line) <> 10
        """,
    ),
    Invariant(
        "no two customers have the same address",
        "unique key",
        "SELECT email, COUNT(*) AS found FROM bulk_customer GROUP BY email HAVING COUNT(*) > 1",
    ),
)
