"""Execution latency: from a client's sending of a write to its execution on the server.

Tusa (2015) measured it with a client that inserts the server's time next to the client's time. Here each
write of the ledger stores the server's clock at its execution, and the table `executed` has it as µs since
the start of the load. In the lab client and servers share one clock, so the difference is the path to the
server and the wait there: queues, locks, and the thread that picks the statement up. It excludes the commit,
its replication and the way back. Only the steady window counts, before any fault.

MariaDB's and PostgreSQL's clocks have µs; the client's time is that of the send. A write that was tried again
counts from its last attempt. Where clocks differ (a run over several machines) the figure means nothing.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fivenines.analysis.tables import ledger_reader
from fivenines.results.records import TrialRecord
from fivenines.results.store import table_path


@dataclass(frozen=True)
class Execution:
    """The distribution over n acknowledged writes of the steady window, in ms."""

    n: int
    mean: float
    p50: float
    p95: float
    p99: float
    max: float


_LATENCY = """
    WITH writes AS (
        SELECT id, max(started_us) AS started FROM read_parquet($ledger)
        WHERE kind = 'write' AND outcome = 'ok' AND started_us BETWEEN $low AND $high GROUP BY id
    )
    SELECT (executed_us - started) / 1000.0 AS ms
    FROM writes JOIN read_parquet($executed) USING (id) WHERE executed_us IS NOT NULL
"""


def measure(trial: Path, record: TrialRecord) -> Execution | None:
    """Return the execution latency of a trial's ledger; None without its tables or without a write.

    Raises:
        FiveninesError: a table is damaged.
    """
    ledger, executed = (table_path(trial, name) for name in ("ledger", "executed"))
    windows = record.windows
    if windows is None or not ledger.is_file() or not executed.is_file():
        return None
    values = {
        "ledger": str(ledger),
        "executed": str(executed),
        "low": round(windows.warmup_end * 1000),
        "high": round(windows.steady_end * 1000),
    }
    with ledger_reader(trial) as connection:
        ms = connection.execute(_LATENCY, values).fetchnumpy()["ms"]
    taken = np.ma.filled(ms, np.nan).astype(np.float64)
    if not len(taken):
        return None
    p50, p95, p99 = (float(value) for value in np.percentile(taken, (50, 95, 99)))
    return Execution(len(taken), float(taken.mean()), p50, p95, p99, float(taken.max()))
