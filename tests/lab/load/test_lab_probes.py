"""A silent host: fresh connections see the outage of the service, whatever the load waits for."""

import subprocess
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from lab_support import LIMIT, OPERATOR, Outcome, run_one, timing

from fivenines.report import tables
from fivenines.results.store import Run
from fivenines.trial.deployment.deployed import Deployed

# Single statements: only the fault blocks them, as deadlocks could.
HEAD = """\
name: tiny
trials: 1
workloads: [{workload: oltp_update_non_index, tables: 2, table_size: 500}]
connections: [4]
"""

RECOVERY = 12.0
GALERA = "solutions: [{solution: galera, suspect_timeout: 2s, inactive_timeout: 5s}]\n"
STANDBY = f"solutions: [{{solution: hot-standby, manager: {OPERATOR}}}]\n"
CRASH = "faults: [{fault: host-kill, restart_after: null}]\n"


@dataclass
class _Sockets:
    """Record the load's connections while it runs, as the kernel lists them."""

    lines: list[str] = field(default_factory=list)

    def look(self, deployed: Deployed) -> None:
        assert deployed.client is not None
        listing = subprocess.run(
            deployed.client.commands.outside(["ss", "-tnoH", "state", "established"]),
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
        self.lines += listing.stdout.splitlines()

    def seconds_of_keepalive(self) -> list[float]:
        """Return the time until the next keepalive probe, for each connection with such a timer."""
        timers = [line.split("keepalive,")[1] for line in self.lines if "(keepalive," in line]
        return [_seconds(timer.split(",")[0]) for timer in timers]


def _seconds(text: str) -> float:
    """Parse `1min38sec`, `12sec` or `980ms`, and return seconds."""
    if text.endswith("ms"):
        return float(text[:-2]) / 1000
    minutes, _, seconds = text.rpartition("min")
    return 60 * float(minutes or 0) + float(seconds.removesuffix("sec") or 0)


def _silence(folder: Path, solution: str, load: str, sockets: _Sockets | None = None) -> Run:
    """Run a trial that silences the primary's host; `load` limits the waits of its clients."""
    text = f"{HEAD}{solution}{CRASH}load: {load}\n{timing(RECOVERY, settle=5)}"
    return run_one(folder, text, {"host-kill, then recovery": (sockets or _Sockets()).look})


def _outcome(run: Run) -> Outcome:
    (trial,) = run.complete
    assert trial.record.fault is not None and trial.record.fault.verified
    return Outcome(trial.record, trial.folder)


def _tries(outcome: Outcome) -> tuple[float, float]:
    """Return the last moment before the gap at which a fresh connection could write, and the first after it.

    Both in ms; the gap is the longest one after the fault.
    """
    fault = outcome.record.fault
    assert fault is not None
    rows = outcome.rows("probes", "SELECT completed_us FROM rows WHERE outcome = 'ok' ORDER BY completed_us")
    ok = [float(str(moment)) / 1000 for (moment,) in rows]
    gaps = [(after - before, before, after) for before, after in pairwise(ok)]
    _, before, after = max(gap for gap in gaps if gap[2] > fault.at)
    return before, after


def _sum(outcome: Outcome, column: str, since: float) -> int:
    """Sum a column of the time line, of load and ledger, from a moment after the fault (in ms)."""
    assert outcome.record.fault is not None
    moment = outcome.record.fault.at + since
    sql = f"SELECT coalesce(sum({column}), 0) FROM rows WHERE slot_ms > {moment}"
    return int(str(outcome.rows("timeline", sql)[0][0]))


def _node_was_ready(outcome: Outcome, sql: str) -> float:
    """Return when a node first reported the state in `sql` after the fault, in ms."""
    assert outcome.record.fault is not None
    moment = outcome.record.fault.at * 1000
    rows = outcome.rows("nodes", f"SELECT min(t_us) FROM rows WHERE t_us > {moment} AND {sql}")
    assert rows[0][0] is not None, outcome.rows("nodes", "FROM rows")
    return float(str(rows[0][0])) / 1000


def _recovery(outcome: Outcome) -> float:
    """Return the duration of the load after the fault, in ms: a busy machine injects late."""
    fault, windows = outcome.record.fault, outcome.record.windows
    assert fault is not None and windows is not None
    return windows.end - fault.at


def _silence_is_seen_alike(short: Outcome, long: Outcome, ready: str) -> None:
    """Compare a short time-out with 20 s: the load's outage differs, that of fresh connections does not."""
    for outcome in (short, long):
        fault = outcome.record.fault
        assert fault is not None
        before, after = _tries(outcome)
        assert before < fault.at + 1000, "the last write is one of about the fault"
        moment = _node_was_ready(outcome, ready)
        assert abs(after - moment) < 1500, (before, after, moment)
        assert after < fault.at + _recovery(outcome)
        # Fresh connections were tried at every moment of the gap: no attempt delays the next.
        tried = outcome.rows(
            "probes", f"SELECT count(*) FROM rows WHERE started_us / 1000 BETWEEN {before} AND {after}"
        )
        assert int(str(tried[0][0])) > (after - before) / 100
    last = _recovery(short) - 1500
    assert _sum(short, "writes_ok", last) > 0, "the load gave up, and found the service"
    assert _sum(short, "timeouts", 0) > 0
    assert _sum(short, "timeouts", -1e6) == _sum(short, "timeouts", 1000), "none before its bound"
    assert _sum(long, "writes_ok", 1500) == 0, "the load still waits for a host that is gone"
    assert _sum(long, "timeouts", 0) == 0


@pytest.mark.parametrize(
    ("solution", "ready", "bound"),
    [
        pytest.param(GALERA, "node <> 'node1' AND state = 'writable'", 2.0, marks=pytest.mark.long),
        pytest.param(STANDBY, "state = 'writable'", 7.0, marks=pytest.mark.long),
    ],
    ids=["galera", "hot-standby"],
)
def test_a_silent_host_is_the_same_outage_for_fresh_connections_whatever_the_bounds(
    tmp_path: Path, solution: str, ready: str, bound: float
) -> None:
    bounded, off = _Sockets(), _Sockets()
    run = _silence(
        tmp_path / "short",
        solution,
        f"{{answer_timeout: {bound:g}s, connect_timeout: 3s, keepalive: {{idle: 100s}}}}",
        bounded,
    )
    short = _outcome(run)
    long = _outcome(_silence(tmp_path / "long", solution, "{answer_timeout: 20s, keepalive: null}", off))
    _silence_is_seen_alike(short, long, ready)
    times = bounded.seconds_of_keepalive()
    assert times and all(15 < seconds <= 100 for seconds in times), bounded.lines
    assert len(off.lines) >= 4 and off.seconds_of_keepalive() == []
    bounds = short.record.load.document["bounds"]
    assert (bounds["answer_timeout_s"], bounds["connect_timeout_s"]) == (bound, 3.0)
    assert bounds["keepalive"] == {"idle_s": 100.0, "interval_s": 15.0, "probes": 9}
    assert long.record.load.document["bounds"] == {
        "answer_timeout_s": 20.0,
        "connect_timeout_s": 10.0,
        "keepalive": None,
        "tcp_user_timeout_s": None,
    }
    if solution == STANDBY:
        # The standby accepted writes long before the sessions gave up: the answer says so.
        assert f"until the client's own time-out of {bound:g} s" in tables(run, "md")
    for outcome in (short, long):
        assert outcome.record.check is not None
        assert all(node.phantom == node.duplicate == 0 for node in outcome.record.check.nodes)
        assert outcome.record.divergence is not None and not outcome.record.divergence.differences
