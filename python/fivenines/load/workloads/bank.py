"""The bank: money is moved between accounts; the total must not change.

Source: the bank test of Jepsen (jepsen.tests.bank).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.load.workloads.invariant import Check, Invariant
from fivenines.load.workloads.settings import WorkloadSettings

# Initial balance of each account.
EACH = 100

Isolation = Literal["server", "read_committed", "repeatable_read", "serializable"]


class BankOptions(Settings):
    """Settings of the bank, as the load or alongside it."""

    accounts: Annotated[int, Field(ge=2, le=10_000)] = Field(10, description="number of accounts")
    amount: Annotated[int, Field(ge=1, le=1_000_000)] = Field(5, description="largest amount of a transfer")
    audits: Annotated[int, Field(ge=0, le=100)] = Field(
        50, description="percentage of audits, each of which reads all balances in one statement"
    )
    style: Literal["update", "rewrite"] = Field(
        "update",
        description="update: the server adds and subtracts; rewrite: the client reads both balances "
        "and writes new ones, and loses updates if the isolation level permits",
    )
    isolation: Isolation = Field("server", description="isolation level; server: the server's default")


class Bank(WorkloadSettings, BankOptions):
    """The bank as the load: transfers between two accounts, and audits of all."""

    family = "bank"

    workload: Literal["bank"] = Field(description="transfers and audits of a bank")

    def data_set(self) -> dict[str, str | int]:
        return {"family": "none"}  # the load creates its small table

    def invariants(self) -> Sequence[Check]:
        return bank_checks(self.accounts)


def bank_checks(accounts: int) -> list[Check]:
    """Return the invariants of the bank's table, for every node and isolation level."""
    total = accounts * EACH
    return [
        Invariant(
            f"the bank's {accounts} accounts hold {total} in all",
            "bank test of Jepsen",
            f"SELECT COUNT(*) AS accounts, SUM(balance) AS total FROM fivenines_bank "
            f"HAVING COUNT(*) <> {accounts} OR SUM(balance) <> {total}",
        )
    ]
