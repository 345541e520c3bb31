"""Figures that servers do not show are missing with a reason; limits of sessions do not hit fivenines."""

import json
import time
from pathlib import Path
from typing import Any

import lab_external_servers
import pytest
from lab_external_servers import PASSWORD
from lab_support import Outcome, deployed_small, run_trial, timing

from fivenines.experiment.source import solution_from
from fivenines.servers.mysql.counters import BYTES_WRITTEN, DEADLOCKS, MEMBER
from fivenines.servers.mysql_family.replica_status import LAG
from fivenines.servers.postgres import sql
from fivenines.servers.postgres.counters import LACKS_ROLE, OTHERS, ROWS, SESSIONS
from fivenines.servers.postgres.sql import limits
from fivenines.trial.deployment.deployed import Deployed

# Counters are named VIEW.COLUMN or as in SHOW GLOBAL STATUS.
_NAMES = "SELECT DISTINCT name FROM rows"


def _reasons(outcome: Outcome, node: str = "node1") -> dict[str, str]:
    return {item.what: item.why for item in outcome.record.unobserved if item.node == node}


def _solution(kind: str, **server: Any) -> str:
    engine = {"standalone": "postgres-18", "replication": "mysql-9.7"}.get(kind)
    own = {"solution": kind, "server": server, **({"engine": engine} if engine else {})}
    return f"solutions: [{json.dumps(own)}]\n"


def test_switches_of_postgresql(tmp_path: Path) -> None:
    off = {"track_counts": False, "track_activities": False, "log_min_messages": "fatal"}
    outcome = run_trial(tmp_path, _solution("standalone", **off) + timing())
    assert _reasons(outcome) == {ROWS: "track_counts is off", SESSIONS: "track_activities is off"}
    names = {str(name) for (name,) in outcome.rows("counters", _NAMES)}
    assert "pg_stat_database.xact_commit" in names
    absent = ("tup_inserted", "deadlocks", "blk_read_time", "active_time")
    assert not names & {f"pg_stat_database.{column}" for column in absent}
    assert not any(name.startswith("pg_stat_activity") for name in names)
    missing = "deadlocks, lock waits and checkpoints: log_min_messages = fatal"
    assert outcome.rows("incidents", "SELECT kind, detail FROM rows") == [("not observed", missing)]


def test_instruments_of_mysql(tmp_path: Path) -> None:
    off = {"performance_schema_instrument": "wait/io/file/innodb/%=OFF"}
    text = _solution("standalone", **off).replace("postgres-18", "mysql-9.7")
    outcome = run_trial(tmp_path, text + timing())
    assert "instruments of wait/io/file are off" in _reasons(outcome)[BYTES_WRITTEN]
    names = {name for (name,) in outcome.rows("counters", _NAMES)}
    assert "Threads_running" in names and "file_summary_by_event_name.write_bytes" not in names


@pytest.mark.parametrize("kind", ["postgres", pytest.param("mysql", marks=pytest.mark.long)])
def test_an_account_without_privileges(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "app")
    start = lab_external_servers.postgres if kind == "postgres" else lab_external_servers.mysql
    server = start(tmp_path, "db1")
    own = {
        "solution": "external",
        "engine": f"external-{kind}",
        "members": {"db1": server.at},
        "user": "app",
        "password_env": PASSWORD,
        "database": "sbtest",
        "existing": "reuse",
    }
    with lab_external_servers.running(server):
        outcome = run_trial(tmp_path / "run", f"solutions: [{json.dumps(own)}]\n" + timing())
    reasons = _reasons(outcome, "db1")
    if kind == "postgres":
        assert reasons == {OTHERS: LACKS_ROLE}
    else:
        assert set(reasons) == {BYTES_WRITTEN, DEADLOCKS, MEMBER}
        assert "PROCESS" in reasons[DEADLOCKS] and LAG not in reasons
    status = "pg_stat_database.xact_commit" if kind == "postgres" else "Threads_running"
    assert status in {name for (name,) in outcome.rows("counters", _NAMES)}


LIMITS = [
    # They bind the sessions of the load as well, whose transactions take a second on a busy machine.
    ("hot-standby", {"transaction_timeout": "3s", "lock_timeout": "2ms", "idle_session_timeout": "500ms"}),
    ("replication", {"max_execution_time": 2000, "wait_timeout": 4}),
]


@pytest.mark.parametrize(("kind", "limits"), LIMITS)
def test_limits_of_sessions_are_for_clients(kind: str, limits: dict[str, Any], tmp_path: Path) -> None:
    own: list[dict[str, Any]] = []

    def look(deployed: Deployed) -> None:
        """Read the limits of an administrator's session."""
        node = deployed.solution.nodes[0]
        variables = "current_setting('{}')" if node.driver == "postgres" else "@@session.{}"
        (row,) = node.sql.query(f"SELECT {', '.join(variables.format(name) for name in limits)}")
        own.append(dict(zip(limits, row, strict=True)))

    outcome = run_trial(tmp_path, _solution(kind, **limits) + timing(steady=4.0), {"settling": look})
    assert own and not own[0].items() & limits.items(), own
    record = outcome.record
    assert record.unobserved == []
    assert record.divergence is not None and record.divergence.left_out == {}
    assert record.deployment is not None
    shown = record.deployment.settings["node1"]
    for name in limits:
        # Those of fivenines' own sessions are others.
        assert int(shown[name]) > 0
    samples = outcome.rows("counters", "SELECT node, count(DISTINCT t_ms) > 1 FROM rows GROUP BY node")
    assert samples and all(enough for _, enough in samples)


def test_a_session_that_the_server_ended_at_once_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stalls = [1.0, 1.0]

    def late(version: int, seconds: float) -> str:
        """Stand for a machine without CPU time for this process between the login and the first statement."""
        if stalls:
            time.sleep(stalls.pop())
        return limits(version, seconds)

    asked = {"solution": "standalone", "engine": "postgres-18", "server": {"idle_session_timeout": "500ms"}}
    with deployed_small(tmp_path, solution_from(asked, "test")) as deployed:
        monkeypatch.setattr(sql, "limits", late)
        assert deployed.solution.nodes[0].sql.query("SELECT 1") == [(1,)]
    assert stalls == []
