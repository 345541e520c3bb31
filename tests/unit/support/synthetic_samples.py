"""TEST ONLY: invented samples of observers, for `synthetic_run`.

Two nodes. node1 is killed at the fault, is away for five seconds and begins again at 0; node2 is its replica,
which stops applying for the three seconds before the fault, so that it is up to 3 s behind.
"""

from collections.abc import Callable
from typing import Any

Rows = list[dict[str, Any]]

AWAY_MS = 5000.0
STALLED_MS = 3000.0


def _moments(fault_at: float | None, end: float, away: bool) -> list[float]:
    """Once a second; of a node that is away nothing."""
    every = [1000.0 * n for n in range(round(end / 1000))]
    if not away or fault_at is None:
        return every
    return [t for t in every if not fault_at <= t < fault_at + AWAY_MS]


def _up(t: float, fault_at: float | None, away: bool) -> float:
    """Return seconds since the node began."""
    restarted = fault_at is not None and away and t > fault_at
    return (t - (fault_at or 0.0) - AWAY_MS) / 1000 if restarted else 10 + t / 1000


def _counters(rates: dict[str, float], fault_at: float | None, end: float) -> Rows:
    return [
        {
            "t_ms": t,
            "node": node,
            "name": name,
            "value": round(rate * _up(t, fault_at, away)) if rate > 0 else -rate,
        }
        for node, away in (("node1", True), ("node2", False))
        for t in _moments(fault_at, end, away)
        for name, rate in rates.items()
    ]


def _hosts(fault_at: float | None, end: float) -> Rows:
    return [
        {
            "t_ms": t,
            "host": host,
            "cpu_cores": 0.5,
            "memory_bytes": 150_000_000,
            "disk_read_bytes": 4096,
            "disk_written_bytes": round(2000 * t),
            "net_received_bytes": round(300 * t),
            "net_sent_bytes": round(500 * t),
        }
        for host in ("client", "node1", "node2")
        for t in _moments(fault_at, end, away=False)
    ]


def _stalled(t: float, fault_at: float | None) -> float:
    """Return how long the replica has applied nothing, in ms."""
    before = fault_at is not None and fault_at - STALLED_MS < t < fault_at
    return t - (fault_at or 0.0) + STALLED_MS if before else 0.0


def _lag(figures: dict[str, tuple[str, Callable[[float], Any]]], fault_at: float | None, end: float) -> Rows:
    return [
        {"t_ms": t, "node": "node2", "source": source, "value": say(_stalled(t, fault_at)), "unit": unit}
        for t in _moments(fault_at, end, away=False)
        for source, (unit, say) in figures.items()
    ]


def _writes(end: float) -> Rows:
    """One client, a write every 100 ms, each acknowledged 5 ms after its start."""
    return [
        {
            "id": 1 + n,
            "client": 0,
            "kind": "write",
            "endpoint": "node1",
            "started_us": n * 100_000,
            "completed_us": n * 100_000 + 5000,
            "outcome": "ok",
            "error_class": "",
            "seen": "",
        }
        for n in range(round(end / 100))
    ]


def _views(fault_at: float | None, end: float) -> Rows:
    """node2 shows what it held when it stopped to apply."""
    result = []
    for n in range(1, round(end / 100)):
        t = 100.0 * n
        held = t - _stalled(t, fault_at)
        result.append({"t_us": round(t * 1000), "node": "node2", "seen": f"[{int(held // 100) + 1}]"})
    return result


def mariadb(fault_at: float | None, end: float) -> dict[str, Rows]:
    """Return a replica that says 0 while it applies nothing."""
    rates = {
        "Com_commit": 900.0,
        "Handler_write": 300.0,
        "Handler_update": 600.0,
        "Innodb_data_fsyncs": 450.0,
        "Innodb_row_lock_time": 120.0,
        "Threads_running": -4.0,
        "Rpl_semi_sync_master_no_tx": 5.0,
    }
    figures: dict[str, tuple[str, Callable[[float], Any]]] = {
        "Seconds_Behind_Master": ("s", lambda _stalled: 0),
        "gtid_binlog_pos - gtid_slave_pos": ("transactions", lambda stalled: 0.9 * stalled),
    }
    return _tables(rates, figures, fault_at, end)


def postgres(fault_at: float | None, end: float) -> dict[str, Rows]:
    """Return a standby whose lag is NULL while it applies nothing."""
    rates = {
        "pg_stat_database.xact_commit": 900.0,
        "pg_stat_database.tup_updated": 900.0,
        "pg_stat_io.wal.fsyncs": 300.0,
        "pg_stat_wal.wal_bytes": 2e6,
        "pg_stat_activity.state.active": -3.0,
    }
    figures: dict[str, tuple[str, Callable[[float], Any]]] = {
        "pg_stat_replication.replay_lag": ("ms", lambda stalled: "" if stalled else 2.5),
        "pg_current_wal_lsn - replay_lsn": ("B", lambda stalled: 2000 * stalled),
    }
    return _tables(rates, figures, fault_at, end)


def _tables(
    rates: dict[str, float],
    figures: dict[str, tuple[str, Callable[[float], Any]]],
    fault_at: float | None,
    end: float,
) -> dict[str, Rows]:
    return {
        "counters": _counters(rates, fault_at, end),
        "hosts": _hosts(fault_at, end),
        "lag": _lag(figures, fault_at, end),
        "ledger": _writes(end),
        "views": _views(fault_at, end),
    }


SAMPLES: dict[str, Callable[[float | None, float], dict[str, Rows]]] = {
    "mariadb": mariadb,
    "postgres": postgres,
}
