"""Panels of counters for each kind of server, and for hosts.

A panel adds up those of its counters that a server has: names differ between versions.
"""

from dataclasses import dataclass
from typing import Literal

from fivenines.analysis.consistency.checkpoints import LAG
from fivenines.analysis.replication.replicated_disk import LOG_UPDATES, OUT_OF_SYNC, SENT
from fivenines.analysis.resources.disk import COUNTERS, WRITTEN
from fivenines.analysis.resources.member_states import STATE


@dataclass(frozen=True)
class Panel:
    """One small chart: the sum of `names`, times `scale`, of each node.

    A `rate` is what cumulative counters gain per second, a `gauge` the value itself.
    """

    title: str
    names: tuple[str, ...]
    kind: Literal["rate", "gauge"] = "rate"
    scale: float = 1.0


# Bytes as servers count them: the sum of several counters, see `analysis.resources.disk`.
_WRITTEN = Panel("Written to files and logs, MB per second", (WRITTEN,), scale=1e-6)

MARIADB = (
    Panel("Commits per second (Com_commit)", ("Com_commit",)),
    Panel("Rows changed per second", ("Handler_write", "Handler_update", "Handler_delete")),
    Panel("InnoDB's fsyncs per second", ("Innodb_data_fsyncs",)),
    Panel("Waiting for row locks, s per s", ("Innodb_row_lock_time",), scale=1e-3),
    Panel("Threads running", ("Threads_running",), "gauge"),
    Panel("Flow control paused, s per s", ("wsrep_flow_control_paused_ns",), scale=1e-9),
    # Group Replication counts microseconds
    Panel("Flow control throttled, s per s", ("Gr_flow_control_throttle_time_sum",), scale=1e-6),
    Panel(
        "Certification failures per second",
        ("wsrep_local_cert_failures", "replication_group_member_stats.COUNT_CONFLICTS_DETECTED"),
    ),
    Panel(
        "Commits without a replica's answer, per second",
        ("Rpl_semi_sync_master_no_tx", "Rpl_semi_sync_source_no_tx"),
    ),
    _WRITTEN,
)
POSTGRES = (
    Panel("Commits per second (xact_commit)", ("pg_stat_database.xact_commit",)),
    Panel(
        "Rows changed per second",
        ("pg_stat_database.tup_inserted", "pg_stat_database.tup_updated", "pg_stat_database.tup_deleted"),
    ),
    Panel(
        "fsyncs per second", ("pg_stat_io.wal.fsyncs", "pg_stat_io.relation.fsyncs", "pg_stat_wal.wal_sync")
    ),
    Panel("WAL, MB per second", ("pg_stat_wal.wal_bytes",), scale=1e-6),
    Panel("Sessions active", ("pg_stat_activity.state.active",), "gauge"),
    Panel("Locks waited for", ("pg_locks.waiting",), "gauge"),
    _WRITTEN,
)
NDB = (
    Panel("State: 0 not connected, 1 starting, 2 started", (STATE,), "gauge"),
    Panel("Lag of the global checkpoint, s", (LAG,), "gauge", 1e-3),
    Panel("Commits of data nodes per second", ("ndbinfo.counters.COMMITS",)),
    Panel("Aborts of data nodes per second", ("ndbinfo.counters.ABORTS",)),
    Panel("Operations of data nodes per second (LQH)", ("ndbinfo.counters.OPERATIONS",)),
    Panel("Scans per second", ("ndbinfo.counters.TABLE_SCANS", "ndbinfo.counters.RANGE_SCANS")),
    Panel("In transactions, s per s", ("ndbinfo.tc_time_track_stats.transactions_us",), scale=1e-6),
    Panel("Between nodes, MB sent per second", ("ndbinfo.transporters.bytes_sent",), scale=1e-6),
    Panel("Data memory, MB", ("ndbinfo.memoryusage.data_used",), "gauge", 1e-6),
    Panel("Redo log, MB", ("ndbinfo.logspaces.used",), "gauge", 1e-6),
    Panel("Redo buffer, MB", ("ndbinfo.logbuffers.used",), "gauge", 1e-6),
    Panel("Waiting for data nodes, s per s", ("Ndb_api_wait_nanos_count",), scale=1e-9),
)
DISKS = (
    Panel("Replicated disk, MB sent per second", (SENT,), scale=1e-6),
    Panel("Replicated disk, MB out of sync", (OUT_OF_SYNC,), "gauge", 1e-6),
    Panel("Activity log updates per second", (LOG_UPDATES,)),
)
HOSTS = (
    Panel("CPU, cores", ("cpu_cores",), "gauge"),
    Panel("Memory, MB", ("memory_bytes",), "gauge", 1e-6),
    Panel("Charged as written to disk, MB per second", ("disk_written_bytes",), scale=1e-6),
    Panel("Read from disk, MB per second", ("disk_read_bytes",), scale=1e-6),
    Panel("Sent, MB per second", ("net_sent_bytes",), scale=1e-6),
    Panel("Received, MB per second", ("net_received_bytes",), scale=1e-6),
)
# Counters of fsync calls; MariaDB's exclude those of its binary log.
FSYNCS = ("Innodb_data_fsyncs", "pg_stat_io.wal.fsyncs", "pg_stat_io.relation.fsyncs", "pg_stat_wal.wal_sync")

# Counters that every sample of their kind of server contains: they give the times of samples.
ALWAYS = ("Threads_running", "pg_stat_database.xact_commit", "ndbinfo.counters.OPERATIONS")

DRAWN = tuple(
    dict.fromkeys(
        [*ALWAYS, *FSYNCS, *COUNTERS, *(name for p in (*MARIADB, *POSTGRES, *NDB) for name in p.names)]
    )
)
