"""Incidents in a data node's log; lines as NDB 9.7.2 wrote them, and messages that no test has provoked."""

from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.ndb.incidents import incidents

LOG = """\
2026-11-25T02:00:41.478397Z [ndbd] INFO     -- Global checkpoint 142 started
2026-11-25T02:00:41.511221Z [ndbd] INFO     -- Global checkpoint 142 completed
2026-11-25T01:58:18.299147Z [ndbd] INFO     -- Local checkpoint 12 started. Keep GCI = 129
2026-11-25T01:58:24.440303Z [ndbd] INFO     -- Local checkpoint 12 completed
2026-11-25T01:58:25.000000Z [ndbd] INFO     -- Local checkpoint 13 completed
2026-11-25T02:10:00.000001Z [ndbd] WARNING  -- Node 2 missed heartbeat 3
2026-11-25T02:10:00.500000Z [ndbd] ALERT    -- Node 2 declared dead due to missed heartbeat
2026-11-25T02:10:00.500001Z [ndbd] ALERT    -- Node 2 Disconnected
2026-11-25T02:10:00.600000Z [ndbd] ALERT    -- Network partitioning - arbitration required
2026-11-25T02:10:00.700000Z [ndbd] ALERT    -- Arbitration won - positive reply from node 145
2026-11-25T02:10:00.800000Z [ndbd] ALERT    -- Forced node shutdown completed. Caused by error 2305: \
'Arbitration error. Temporary error, restart node'.
2026-11-25T02:10:01.000000Z [ndbd] WARNING  -- Ndb kernel thread 1 is stuck in: Yielding to OS elapsed=100
2026-11-25T02:10:01.100000Z [ndbd] WARNING  -- GCP Monitor: GCP_SAVE lag 10 sec (max lag: 120s), waiting
2026-11-25T02:10:01.200000Z [ndbd] INFO     -- LQH 1 : Redo log part 2 problem started : no mbytes.  (all)
2026-11-25T02:10:01.300000Z [ndbd] INFO     -- Watchdog: User time: 151  System time: 394
not a line of the log
"""


def test_checkpoints_lost_nodes_and_arbitration_are_incidents() -> None:
    found = [(one.kind, one.ms, one.detail) for one in incidents(LOG.splitlines())]
    assert found == [
        ("global checkpoint", 32.824, "142"),
        # A checkpoint without a logged start has no duration.
        ("local checkpoint", 6141.156, "12"),
        ("missed heartbeat", 0.0, "node 2, number 3"),
        ("declared dead", 0.0, "node 2"),
        ("disconnected", 0.0, "node 2"),
        ("arbitration", 0.0, ""),
        ("arbitration won", 0.0, "positive reply from node 145"),
        ("forced shutdown", 0.0, "2305: 'Arbitration error. Temporary error, restart node'"),
        ("thread stuck", 100.0, "thread 1: Yielding to OS"),
        ("GCP stop", 10000.0, "save"),
        ("redo log", 0.0, "part 2 started : no mbytes"),
    ]


@given(st.text(), st.integers(0, 600))
def test_any_line_is_read_or_skipped(text: str, cut: int) -> None:
    list(incidents((LOG[:cut] + text + LOG[cut:]).splitlines()))
