"""TATP, the Telecommunication Application Transaction Processing benchmark (also called TM1).

Source: IBM Software Group Information Management, "Telecommunication Application Transaction
Processing (TATP) Benchmark Description", version 1.0, 2009.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.load.workloads.invariant import Check, Invariant, Tally
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.load.workloads.shares import share_problem

TRANSACTIONS = (
    "get_subscriber_data",
    "get_new_destination",
    "get_access_data",
    "update_subscriber_data",
    "update_location",
    "insert_call_forwarding",
    "delete_call_forwarding",
)
MIXES = ("r80w20", "r20w80")


class Tatp(WorkloadSettings):
    """TATP: four tables of a mobile network's subscribers, seven short transactions."""

    family = "tatp"
    scale = ("subscribers",)

    workload: Literal["tatp"] = Field(description="TATP (TM1): short transactions of a phone network")
    subscribers: Annotated[int, Field(ge=1, le=100_000_000)] = Field(
        100_000, description="number of subscribers"
    )
    mix: str = Field(
        "r80w20",
        description="r80w20 (80 % reads), r20w80, or seven percentages separated by commas: "
        + ", ".join(TRANSACTIONS),
    )
    choice: Literal["nonuniform", "uniform"] = Field(
        "nonuniform", description="distribution of subscribers; nonuniform as specified"
    )

    def problems(self) -> list[str]:
        problem = share_problem(self.mix, TRANSACTIONS) if self.mix not in MIXES else None
        return [f"mix: {problem}; or write {' or '.join(MIXES)}"] if problem else []

    def invariants(self) -> Sequence[Check]:
        return [
            Invariant(
                "subscribers are numbered from 1 without a gap",
                "TATP 2.2, table Subscriber",
                f"SELECT COUNT(*) AS subscribers, MIN(s_id) AS first_s_id, MAX(s_id) AS last_s_id "
                f"FROM subscriber HAVING COUNT(*) <> {self.subscribers} OR MIN(s_id) <> 1 "
                f"OR MAX(s_id) <> {self.subscribers}",
            ),
            *_RELATIONS,
            *(_unchanged(table) for table in ("subscriber", "access_info", "special_facility")),
            Tally(
                "call forwardings: loaded + inserted - deleted",
                "acknowledged transactions",
                "SELECT COUNT(*) FROM call_forwarding",
                {"insert_call_forwarding": 1, "delete_call_forwarding": -1},
            ),
        ]


def _unchanged(table: str) -> Tally:
    return Tally(
        f"the load neither adds to {table} nor takes from it",
        "TATP 2.3, transactions",
        f"SELECT COUNT(*) FROM {table}",
    )


def _one_to_four(table: str, column: str) -> Invariant:
    return Invariant(
        f"each subscriber has 1 to 4 rows in {table}",
        "TATP 2.2, population rules",
        f"""
        SELECT s.s_id, COUNT(t.{column}) AS found FROM subscriber s
        LEFT JOIN {table} t ON t.s_id = s.s_id
        GROUP BY s.s_id HAVING COUNT(t.{column}) NOT BETWEEN 1 AND 4
        """,
    )


def _with_subscriber(table: str, column: str) -> Invariant:
    return Invariant(
        f"each row of {table} has its subscriber, and {column} from 1 to 4",
        "TATP 2.2, foreign keys and population rules",
        f"""
        SELECT t.s_id, t.{column} FROM {table} t LEFT JOIN subscriber s ON s.s_id = t.s_id
        WHERE s.s_id IS NULL OR t.{column} NOT BETWEEN 1 AND 4
        """,
    )


def _unique(table: str, *key: str) -> Invariant:
    columns = ", ".join(key)
    return Invariant(
        f"no row of {table} is there twice",
        "TATP 2.2, primary keys",
        f"SELECT {columns}, COUNT(*) AS found FROM {table} GROUP BY {columns} HAVING COUNT(*) > 1",
    )


_RELATIONS = (
    Invariant(
        "sub_nbr is s_id in 15 digits",
        "TATP 2.2, table Subscriber",
        "SELECT s_id, sub_nbr FROM subscriber WHERE sub_nbr <> LPAD(CAST(s_id AS TEXT), 15, '0')",
        "SELECT s_id, sub_nbr FROM subscriber WHERE sub_nbr <> LPAD(s_id, 15, '0')",
    ),
    _one_to_four("access_info", "ai_type"),
    _with_subscriber("access_info", "ai_type"),
    _unique("access_info", "s_id", "ai_type"),
    _one_to_four("special_facility", "sf_type"),
    _with_subscriber("special_facility", "sf_type"),
    _unique("special_facility", "s_id", "sf_type"),
    Invariant(
        "each call forwarding has its special facility",
        "TATP 2.2, foreign keys",
        """
        SELECT c.s_id, c.sf_type, c.start_time FROM call_forwarding c
        LEFT JOIN special_facility f ON f.s_id = c.s_id AND f.sf_type = c.sf_type
        WHERE f.s_id IS NULL
        """,
    ),
    Invariant(
        "call forwardings start at 0, 8 or 16 o'clock",
        "TATP 2.2, population rules",
        """
        SELECT s_id, sf_type, start_time FROM call_forwarding WHERE start_time NOT IN (0, 8, 16)
        """,
    ),
    _unique("call_forwarding", "s_id", "sf_type", "start_time"),
)
