"""Replication lag that MySQL reports: as a replica, and as a member of a group.

Sources: MySQL 9 reference manual, "SHOW REPLICA STATUS", "The replication_group_member_stats Table", "The
replication_connection_status Table".
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from fivenines.servers.counters import Omitted, rows_unless_refused
from fivenines.servers.lag import LagReader, LagRow
from fivenines.servers.mysql.counters import MEMBER
from fivenines.servers.mysql.group import transactions
from fivenines.servers.mysql_family.replica_status import replica_status
from fivenines.servers.positions import Sample, behind_furthest
from fivenines.servers.session import Session

QUEUES = ("COUNT_TRANSACTIONS_IN_QUEUE", "COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE")
NOT_APPLIED = "RECEIVED_TRANSACTION_SET - gtid_executed"
NOT_EXECUTED = "max(gtid_executed) - gtid_executed"

_QUEUES = (
    f"SELECT {', '.join(QUEUES)} FROM performance_schema.replication_group_member_stats "
    "WHERE MEMBER_ID = @@server_uuid"
)
_WAITING = (
    "SELECT GROUP_CONCAT(GTID_SUBTRACT(RECEIVED_TRANSACTION_SET, @@global.gtid_executed)) "
    "FROM performance_schema.replication_connection_status WHERE RECEIVED_TRANSACTION_SET <> ''"
)

EXECUTED = "lag in transactions (gtid_executed)"
RECEIVED = "received transactions (performance_schema.replication_connection_status)"


class MysqlLag(LagReader):
    """Reads one node; keeps its number of executed transactions for comparison with others, see `apart`."""

    def __init__(self, name: str, omitted: Omitted | None = None) -> None:
        super().__init__(name, omitted)
        self.executed: list[Sample] = []

    def read(self, session: Session, now_ms: Callable[[], float]) -> Iterator[LagRow]:
        """Yield what the node itself reports now; `now_ms` is the clock of the table."""
        moment = now_ms()
        ((executed, mode),) = session.ask("SELECT @@global.gtid_executed, @@global.gtid_mode").rows
        if str(mode).startswith("OFF"):
            # Empty sets are equal on all nodes, however far they are behind.
            self.omitted[EXECUTED] = f"gtid_mode is {mode}"
        else:
            self.executed.append(Sample(moment, {0: float(transactions(str(executed)))}))
        for (waiting,) in rows_unless_refused(session, _WAITING, RECEIVED, self.omitted):
            if waiting is not None:
                yield self.name, NOT_APPLIED, float(transactions(str(waiting))), "transactions"
        yield from self._as_replica(replica_status(session, self.omitted))
        for counts in rows_unless_refused(session, _QUEUES, MEMBER, self.omitted):
            for name, value in zip(QUEUES, counts, strict=True):
                yield self.name, name, float(value), "transactions"

    def _as_replica(self, status: Mapping[str, Any]) -> Iterator[LagRow]:
        # The channels of a group have no source.
        # MySQL before 8.0.22 has the former names.
        named = "Source" if "Source_Host" in status else "Master"
        if status.get(f"{named}_Host") not in (None, "", "<NULL>"):
            behind = status[f"Seconds_Behind_{named}"]
            yield self.name, f"Seconds_Behind_{named}", None if behind is None else float(behind), "s"

    @classmethod
    def apart(
        cls, readers: Mapping[str, Self], addresses: Mapping[str, str], longest_gap: float
    ) -> Iterator[tuple[float, LagRow]]:
        """Yield rows about each node relative to the one that has executed most."""
        executed = {name: reader.executed for name, reader in readers.items()}
        for t, name, behind in behind_furthest(executed, longest_gap):
            yield t, (name, NOT_EXECUTED, behind, "transactions")
