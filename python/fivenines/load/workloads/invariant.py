"""Invariants of a workload's data after a load, as SQL that finds violations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Driver = Literal["mysql", "postgres"]

# Largest number of offending rows that are reported.
SHOWN = 5


@dataclass(frozen=True)
class Invariant:
    """An invariant: `sql` returns the keys of offending rows; none if it holds.

    Attributes:
        name: the rule, in a few words.
        source: the origin of the rule.
        sql: a query without LIMIT, in standard SQL.
        mysql: the query for MySQL and MariaDB, if it differs.
    """

    name: str
    source: str
    sql: str
    mysql: str = ""

    def statement(self, driver: Driver) -> str:
        """Return the query for a kind of server, limited to the reported rows."""
        text = self.mysql if driver == "mysql" and self.mysql else self.sql
        return f"{' '.join(text.split())} LIMIT {SHOWN}"


@dataclass(frozen=True)
class Tally:
    """A number of rows that changes only by the load's acknowledged transactions.

    Attributes:
        name: the rule, in a few words.
        source: the origin of the rule.
        sql: a query for one number, run before and after the load.
        adds: the change of the number per committed transaction, by type.
    """

    name: str
    source: str
    sql: str
    adds: Mapping[str, int] = field(default_factory=dict)

    def expected(self, before: int, done: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
        """Return the least and the largest correct number after the load.

        Args:
            before: the number before the load.
            done: the numbers of committed and in-doubt transactions by type. An in-doubt
                transaction may or may not have committed.
        """
        low = high = before
        for name, each in self.adds.items():
            ok, doubt = done.get(name, (0, 0))
            certain, possible = each * ok, each * (ok + doubt)
            low += min(certain, possible)
            high += max(certain, possible)
        return low, high


Check: TypeAlias = Invariant | Tally
