"""What must be true of a workload's data after a load: as SQL that finds what contradicts it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Driver = Literal["mysql", "postgres"]

# So many offending rows are named.
SHOWN = 5


@dataclass(frozen=True)
class Invariant:
    """`sql` returns the rows that offend, with what identifies them; none: it holds.

    Attributes:
        name: what must be true, in a few words.
        source: where that is demanded.
        sql: a query without LIMIT, in standard SQL.
        mysql: the same for MySQL and MariaDB, where they need other words.
    """

    name: str
    source: str
    sql: str
    mysql: str = ""

    def statement(self, driver: Driver) -> str:
        """The query for a kind of server, bounded to the rows that are shown."""
        text = self.mysql if driver == "mysql" and self.mysql else self.sql
        return f"{' '.join(text.split())} LIMIT {SHOWN}"


@dataclass(frozen=True)
class Tally:
    """A number of rows that changes by what the load was told to have done, and by nothing else.

    Attributes:
        name: what is counted, in a few words.
        source: where that is demanded.
        sql: a query for one number, asked before and after the load.
        adds: by how much one committed transaction of a type changes the number.
    """

    name: str
    source: str
    sql: str
    adds: Mapping[str, int] = field(default_factory=dict)

    def expected(self, before: int, done: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
        """The least and the greatest number that is right after the load.

        Args:
            before: the number before the load.
            done: by transaction type how many were committed, and how many are in doubt. A
                commit in doubt may or may not have happened.
        """
        low = high = before
        for name, each in self.adds.items():
            ok, doubt = done.get(name, (0, 0))
            certain, possible = each * ok, each * (ok + doubt)
            low += min(certain, possible)
            high += max(certain, possible)
        return low, high


Check: TypeAlias = Invariant | Tally
