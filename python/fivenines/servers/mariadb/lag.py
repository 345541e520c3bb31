"""Replication lag that MariaDB reports: as a replica, and as a member of a Galera cluster.

Sources: MariaDB documentation, "SHOW REPLICA STATUS", "gtid_binlog_pos", "gtid_slave_pos", "Galera Cluster
Status Variables".
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from fivenines.servers.counters import Omitted
from fivenines.servers.lag import LagReader, LagRow
from fivenines.servers.mysql_family.replica_status import replica_status
from fivenines.servers.positions import Sample, behind_furthest, distance, parse_gtids, position_at
from fivenines.servers.session import Session

QUEUES = (
    "wsrep_local_recv_queue",
    "wsrep_local_recv_queue_avg",
    "wsrep_local_send_queue",
    "wsrep_local_send_queue_avg",
)
NOT_APPLIED = "gtid_binlog_pos - gtid_slave_pos"
NOT_RECEIVED = "gtid_binlog_pos - Gtid_IO_Pos"
COMMITTED = "wsrep_last_committed"
NOT_COMMITTED = "max(wsrep_last_committed) - wsrep_last_committed"

_STATUS = "SHOW GLOBAL STATUS WHERE Variable_name IN ({})".format(
    ", ".join(f"'{name}'" for name in (*QUEUES, COMMITTED))
)
_POSITIONS = "SELECT @@global.gtid_binlog_pos, @@global.gtid_slave_pos"


@dataclass
class Positions:
    """Positions that one node reported, in order of time.

    `sources`: the address of the primary that it followed at each time, or empty.
    """

    written: list[Sample] = field(default_factory=list)
    applied: list[Sample] = field(default_factory=list)
    received: list[Sample] = field(default_factory=list)
    committed: list[Sample] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)


class MariadbLag(LagReader):
    """Reads one node; keeps its positions for comparison with others, see `apart`."""

    def __init__(self, name: str, omitted: Omitted | None = None) -> None:
        super().__init__(name, omitted)
        self.positions = Positions()

    def read(self, session: Session, now_ms: Callable[[], float]) -> Iterator[LagRow]:
        """Yield what the node itself reports now; `now_ms` is the clock of the table."""
        status = replica_status(session, self.omitted)
        moment = now_ms()
        written, applied = session.ask(_POSITIONS).rows[0]
        self._keep(moment, status, str(written or ""), str(applied or ""))
        yield from self._as_replica(status)
        for name, value in session.ask(_STATUS).rows:
            if name == COMMITTED:
                self.positions.committed.append(Sample(moment, {0: float(value)}))
            else:
                yield self.name, name, float(value), "write sets"

    def _keep(self, t: float, status: Mapping[str, Any], written: str, applied: str) -> None:
        self.positions.written.append(Sample(t, parse_gtids(written)))
        self.positions.applied.append(Sample(t, parse_gtids(applied)))
        received = parse_gtids(str(status.get("Gtid_IO_Pos") or ""))
        self.positions.received.append(Sample(t, received))
        self.positions.sources.append(str(status.get("Master_Host") or ""))

    def _as_replica(self, status: Mapping[str, Any]) -> Iterator[LagRow]:
        if not status:
            return
        behind = status["Seconds_Behind_Master"]
        # NULL is an answer: a thread of the replica does not run, or it is not connected.
        seconds = None if behind is None else float(behind)
        yield self.name, "Seconds_Behind_Master", seconds, "s"
        received = self.positions.received[-1].position
        if received:
            waiting = distance(received, self.positions.applied[-1].position)
            yield self.name, "Gtid_IO_Pos - gtid_slave_pos", waiting, "transactions"
        if status["Master_Log_File"] and status["Master_Log_File"] == status["Relay_Master_Log_File"]:
            space = float(status["Read_Master_Log_Pos"]) - float(status["Exec_Master_Log_Pos"])
            yield self.name, "Read_Master_Log_Pos - Exec_Master_Log_Pos", space, "B"

    @classmethod
    def apart(
        cls, readers: Mapping[str, Self], addresses: Mapping[str, str], longest_gap: float
    ) -> Iterator[tuple[float, LagRow]]:
        """Yield rows about each node relative to its primary, or to the most advanced node of a cluster."""
        for name, reader in readers.items():
            history = reader.positions
            pairs = zip(history.sources, history.applied, history.received, strict=True)
            for source, applied, received in pairs:
                followed = readers.get(addresses.get(source, ""))
                ahead = followed and position_at(followed.positions.written, applied.t, longest_gap)
                if ahead:
                    behind = distance(ahead, applied.position)
                    yield applied.t, (name, NOT_APPLIED, round(behind, 1), "transactions")
                if ahead and received.position:
                    behind = distance(ahead, received.position)
                    yield applied.t, (name, NOT_RECEIVED, round(behind, 1), "transactions")
        committed = {name: reader.positions.committed for name, reader in readers.items()}
        for t, name, behind in behind_furthest(committed, longest_gap):
            yield t, (name, NOT_COMMITTED, behind, "transactions")
