"""MySQL: one server, and Group Replication: started, broken, blocked, and recovered."""

from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
from lab_support import kill, rejoined, run_trial, sound, timing

from fivenines.base.waiting import wait_until
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.base import DATABASE
from fivenines.software.store import engine
from fivenines.solutions.group_replication.settings import GroupReplicationSettings
from fivenines.solutions.group_replication.solution import GroupReplication
from fivenines.trial.deployment.deployed import Deployed, data_set


def group(more: str) -> str:
    return f"solutions: [{{solution: group-replication, member_expel_timeout: 0s, {more}}}]\n"


def test_standalone_is_unavailable_until_it_is_restarted(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: standalone, engine: mysql-9.7, server: {innodb_lock_wait_timeout: 7}}]\n"
        "load: {tls: require, think_time: 100ms}\n" + kill() + timing(),
    )
    sound(outcome)
    assert outcome.record.deployment is not None
    settings = outcome.record.deployment.settings["node1"]
    names = ("innodb_flush_log_at_trx_commit", "sync_binlog", "innodb_lock_wait_timeout")
    assert [settings[name] for name in names] == ["1", "1", "7"]
    assert settings["version"].startswith(engine("mysql-9.7").status().version)
    rejoined(outcome)
    assert outcome.writes_after_fault() > 0


@pytest.mark.lasts(35)
def test_another_member_is_elected_and_the_dead_one_rejoins(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path, group("consistency: EVENTUAL") + kill(restart_after="9s") + timing(steady=4)
    )
    sound(outcome)
    deployment, check = outcome.record.deployment, outcome.record.check
    assert deployment is not None and check is not None
    assert deployment.roles == {"node1": "primary", "node2": "replica", "node3": "replica"}
    assert deployment.single_writer and deployment.facts is not None
    assert deployment.settings["node2"]["super_read_only"] == "ON"
    assert check.primary in ("node2", "node3")
    kinds = outcome.kinds()
    for earlier, later in (("fault", "missed"), ("missed", "decided"), ("decided", "promoted")):
        assert kinds.index(earlier) < kinds.index(later)
    rejoined(outcome)
    assert outcome.writes_after_fault() > 0
    states = outcome.rows("nodes", "SELECT node, state FROM rows WHERE t_us > 0")
    assert (check.primary, "writable") in states
    divergence = outcome.record.divergence
    assert divergence is not None and divergence.differences == [] and not divergence.incomplete
    assert sorted(divergence.compared) == ["node1", "node2", "node3"]


def test_members_that_all_write_conflict_and_a_planted_loss_is_found(tmp_path: Path) -> None:
    taken: list[int] = []

    def delete(deployed: Deployed) -> None:
        taken.append(sorted([row[0] for row in deployed.solution.nodes[0].sql.ledger_rows()])[5])
        deployed.solution.nodes[1].sql.execute(
            "SET sql_log_bin = 0", f"DELETE FROM {DATABASE}.fivenines_ledger WHERE id = {taken[0]}"
        )

    outcome = run_trial(
        tmp_path,
        # Close together, so that some conflict.
        group("mode: multi-primary, writes: all")
        + "load: {think_time: 25ms}\n"
        + timing(recovery=2, steady=3),
        {"checking": delete},
        head="name: tiny\ntrials: 1\nconnections: [9]\n"
        "workloads: [{workload: oltp_read_write, tables: 1, table_size: 30}]\n",
    )
    errors = {error.kind: error.count for error in outcome.record.load.errors}
    assert errors["conflict"] > 0
    assert set(errors) <= {"conflict", "deadlock"}
    # A transaction that lost the conflict is rolled back, and not in doubt.
    assert outcome.record.load.transactions.in_doubt == 0
    assert outcome.record.deployment is not None and not outcome.record.deployment.single_writer
    assert (outcome.node("node2").lost, outcome.node("node2").lost_ids) == (1, taken)
    assert outcome.node("node1").lost == outcome.node("node3").lost == 0
    divergence = outcome.record.divergence
    assert divergence is not None
    assert [difference.table for difference in divergence.differences] == ["fivenines_ledger"]


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    settings = GroupReplicationSettings(
        solution="group-replication", member_expel_timeout=0.0, bootstrap_after=None, weights=[50, 20, 80]
    )
    workload = Oltp(workload="oltp_read_write", tables=2, table_size=500)
    data = data_set(settings, workload, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path_factory.mktemp("group") / "lab") as deployment:
        deployment.bring_up()
        yield deployment


@pytest.mark.lasts(25)
def test_a_switchover_a_stall_and_a_member_that_left(deployed: Deployed) -> None:
    solution = deployed.solution
    assert isinstance(solution, GroupReplication)
    _, second, third = solution.nodes
    assert "node1 to node2" in solution.switchover.hand_over(deployed.access.draining)
    assert solution.roles.by_name() == {"node1": "replica", "node2": "primary", "node3": "replica"}
    assert [event.node for event in solution.events() if event.kind == "promoted"] == ["node2"]
    assert solution.stalling is not None
    solution.stalling.stall(third)
    table = f"CREATE TABLE {DATABASE}.noted (id INT PRIMARY KEY)"
    second.sql.execute(table, *(f"INSERT INTO {DATABASE}.noted VALUES ({n})" for n in range(5)))
    wait_until(
        lambda: "" if solution.membership.lag_reason(third) else "it lags not", 10.0, "node3 goes on applying"
    )
    assert solution.stalling.unstall(third) == ""
    third.sql.execute("STOP GROUP_REPLICATION")
    assert solution.membership.not_joined_reason(third).startswith("node3 is OFFLINE")
    assert "does not rejoin by itself" in solution.membership.unexpected_primary_reason(third)
    # The group will never have what this member writes alone.
    third.sql.execute(
        "SET GLOBAL super_read_only = 0",
        "SET GLOBAL read_only = 0",
        f"CREATE TABLE {DATABASE}.alone (id INT PRIMARY KEY)",
    )
    third.stop()
    solution.membership.rejoin(third)
    wait_until(lambda: solution.membership.not_joined_reason(third), 30.0, "node3 did not come back")
    assert [event.node for event in solution.events() if event.kind == "restored"] == ["node3"]
    assert third.sql.query(f"SHOW TABLES IN {DATABASE} LIKE 'alone'") == []


def test_a_minority_blocks(deployed: Deployed) -> None:
    solution = deployed.solution
    left = solution.roles.target("primary")
    left.sql.execute(f"CREATE TABLE {DATABASE}.blocked (id INT PRIMARY KEY)")
    others = [node for node in solution.nodes if node is not left]
    for node in others:
        assert node.process is not None
        node.process.gone(node.process.kill())
    wait_until(
        lambda: "" if "no majority" in solution.membership.not_joined_reason(left) else "it works",
        30.0,
        "the survivor did not notice",
    )
    assert solution.roles.by_name() == dict.fromkeys(("node1", "node2", "node3"), "down")
    with pytest.raises(pymysql.Error, match="timed out"), left.sql.connect(2.0) as connection:
        connection.cursor().execute(f"INSERT INTO {DATABASE}.blocked VALUES (1)")
    # No automatic remediation is configured.
    assert solution.membership.remediate() == []
