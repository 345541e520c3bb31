"""The bank: money is moved between accounts; whatever happens, the sum stays.

Source: the bank test of Jepsen (jepsen.tests.bank).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.settings import Settings
from fivenines.workloads.invariant import Check, Invariant
from fivenines.workloads.settings import WorkloadSettings

# What each account begins with.
EACH = 100

Isolation = Literal["server", "read_committed", "repeatable_read", "serializable"]


class BankOptions(Settings):
    """What the bank is, whether it is the load or runs beside it."""

    accounts: Annotated[int, Field(ge=2, le=10_000)] = Field(10, description="accounts")
    amount: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        5, description="the most that one transfer moves"
    )
    audits: Annotated[int, Field(ge=0, le=100)] = Field(
        50, description="percentage of audits, each of which reads all balances in one statement"
    )
    style: Literal["update", "rewrite"] = Field(
        "update",
        description="`update`: the server adds and takes; `rewrite`: the client reads both balances "
        "and writes new ones, and loses updates where isolation lets it",
    )
    isolation: Isolation = Field("server", description="isolation level; `server`: its own default")


class Bank(WorkloadSettings, BankOptions):
    """The bank as the load: transfers between two accounts, and audits of all."""

    family = "bank"

    workload: Literal["bank"] = Field(description="transfers and audits of a bank")

    def data_set(self) -> dict[str, str | int]:
        return {"family": "none"}  # the load makes its small table itself

    def invariants(self) -> Sequence[Check]:
        return bank_checks(self.accounts)


def bank_checks(accounts: int) -> list[Check]:
    """What must be true of the bank's table, on every node and at every level of isolation."""
    total = accounts * EACH
    return [
        Invariant(
            f"the bank's {accounts} accounts hold {total} in all",
            "bank test of Jepsen",
            f"SELECT COUNT(*) AS accounts, SUM(balance) AS total FROM fivenines_bank "
            f"HAVING COUNT(*) <> {accounts} OR SUM(balance) <> {total}",
        )
    ]
