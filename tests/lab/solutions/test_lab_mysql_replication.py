"""MySQL replication by GTID: a replica takes over, no guaranteed row is lost, the old primary rejoins."""

from collections.abc import Callable
from pathlib import Path

import pytest
from lab_support import OPERATOR, kill, rejoined, run_trial, sound, timing

from fivenines.base.waiting import wait_until
from fivenines.experiment.source import solution_from
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.mysql.server import Mysql
from fivenines.trial.deployment.deployed import Deployed, data_set

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)


def replication(more: str) -> str:
    return f"solutions: [{{solution: replication, engine: mysql-9.7, {more}}}]\n"


@pytest.mark.parametrize("mode", [pytest.param("async", marks=pytest.mark.long), "after_sync"])
def test_a_replica_takes_over_and_the_old_primary_follows_it(tmp_path: Path, mode: str) -> None:
    waiting: dict[str, str] = {}

    def look(deployed: Deployed) -> None:
        primary = deployed.solution.nodes[0]
        assert isinstance(primary, Mysql)
        waiting.update(primary.sql.status("Rpl_semi_sync_source_status"))

    outcome = run_trial(
        tmp_path,
        replication(f"replicas: 2, mode: {mode}, semi_sync_timeout: 20s, manager: {OPERATOR}")
        + kill()
        + timing(),
        {"warm-up and steady load": look},
    )
    sound(outcome)
    deployment, fault, check = (outcome.record.deployment, outcome.record.fault, outcome.record.check)
    assert deployment is not None and fault is not None and check is not None
    assert deployment.roles == {"node1": "primary", "node2": "replica", "node3": "replica"}
    settings = deployment.settings["node2"]
    assert (settings["gtid_mode"], settings["super_read_only"]) == ("ON", "ON")
    if mode == "after_sync":
        assert waiting == {"rpl_semi_sync_source_status": "ON"}
        assert settings["rpl_semi_sync_source_wait_point"] == "AFTER_SYNC"
        assert settings["rpl_semi_sync_source_timeout"] == "20000"
        assert outcome.node(check.primary).lost == 0
    kinds = outcome.kinds()
    assert kinds.index("fault") < kinds.index("promoted") < kinds.index("repointed")
    assert check.primary in ("node2", "node3")
    assert outcome.writes_after_fault() > 0
    # A former primary with transactions that no other server has restarts from the data set.
    assert fault.rejoined, fault.rejoin_detail
    if mode == "after_sync":
        rejoined(outcome)


def test_a_switchover_loses_nothing_and_errant_transactions_are_found(tmp_path: Path) -> None:
    settings = solution_from(
        {
            "solution": "replication",
            "engine": "mysql-9.7",
            "replicas": 1,
            "mode": "after_commit",
            "semi_sync_timeout": "1s",
            "manager": {"kind": "operator", "interval": "200ms", "misses": 2, "timeout": "3s"},
        },
        "test",
    )
    data = data_set(settings, WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as deployed:
        deployed.bring_up()
        solution, manager, (first, second) = (deployed.solution, deployed.manager, deployed.solution.nodes)
        assert manager is not None
        first.sql.execute("CREATE TABLE sbtest.before (id INT PRIMARY KEY)")
        assert manager.switch_over() == "node2"
        assert solution.roles.by_name() == {"node1": "replica", "node2": "primary"}
        _until(lambda: solution.membership.not_joined_reason(first))
        # No other server ever receives this row.
        first.sql.execute("STOP REPLICA IO_THREAD")
        second.sql.execute("CREATE TABLE sbtest.alone (id INT PRIMARY KEY)", timeout=30)
        assert second.process is not None
        second.process.kill()
        _until(lambda: "" if first.writable() else "node1 is not promoted")
        deployed.start_node(second)
        _until(
            lambda: (
                ""
                if "does not have: it must be restored"
                in solution.membership.unexpected_primary_reason(second)
                else "?"
            )
        )
        assert "restored" in solution.membership.not_joined_reason(second)
        second.stop()
        deployed.start_node(second)
        _until(
            lambda: solution.membership.not_joined_reason(second) or solution.membership.lag_reason(second)
        )
        tables = [name for (name,) in second.sql.query("SHOW TABLES FROM sbtest")]
        assert "before" in tables and "alone" not in tables


def _until(missing: Callable[[], str]) -> None:
    def reported() -> str:
        try:
            return missing()
        except Exception as error:
            # A server that is busy, starting or stopping may not answer.
            return str(error) or type(error).__name__

    wait_until(reported, 90.0, "it did not happen")
