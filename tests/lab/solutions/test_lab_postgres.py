"""PostgreSQL: every solution starts as configured, survives a kill, and meets its durability guarantee."""

from pathlib import Path

import pytest
from lab_support import OPERATOR, Outcome, kill, rejoined, run_trial, sound, timing

from fivenines.trial.deployment.deployed import Deployed


def hot_standby(more: str) -> str:
    return f"solutions: [{{solution: hot-standby, engine: postgres-18, {more}}}]\n"


def test_standalone_is_unavailable_until_it_is_restarted(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: standalone, engine: postgres-18, "
        "server: {work_mem: 7MB}}]\n" + kill() + timing(),
    )
    sound(outcome)
    rejoined(outcome)
    assert outcome.record.deployment is not None and outcome.record.fault is not None
    assert outcome.record.deployment.roles == {"node1": "primary"}
    settings = outcome.record.deployment.settings["node1"]
    assert (settings["synchronous_commit"], settings["work_mem"]) == ("on", "7168")
    assert outcome.writes_after_fault() > 0
    restarted = outcome.record.fault.restarted
    assert restarted is not None
    unavailable = outcome.rows(
        "timeline",
        "SELECT count(*) FROM rows WHERE source = 'load' AND writes_ok > 0 "
        f"AND slot_ms BETWEEN {outcome.record.fault.at + 1000} AND {restarted - 50}",
    )
    assert unavailable == [(0,)]


@pytest.mark.parametrize(
    ("synchronous_commit", "state"),
    [("on", "quorum"), pytest.param("remote_apply", "quorum", marks=pytest.mark.long), ("local", "async")],
)
def test_a_standby_takes_over_and_the_old_primary_follows_it(
    tmp_path: Path, synchronous_commit: str, state: str
) -> None:
    states: list[tuple[object, ...]] = []

    def look(deployed: Deployed) -> None:
        states.extend(
            deployed.solution.nodes[0].sql.query(
                "SELECT application_name, sync_state FROM pg_stat_replication ORDER BY 1"
            )
        )

    standbys = 2 if synchronous_commit == "on" else 1
    outcome = run_trial(
        tmp_path,
        hot_standby(f"synchronous_commit: {synchronous_commit}, standbys: {standbys}, manager: {OPERATOR}")
        + kill()
        + timing(),
        {"warm-up and steady load": look},
    )
    sound(outcome)
    assert states == [(f"node{number + 2}", state) for number in range(standbys)]
    deployment, fault, check = (outcome.record.deployment, outcome.record.fault, outcome.record.check)
    assert deployment is not None and fault is not None and check is not None
    replicas = {f"node{number + 2}": "replica" for number in range(standbys)}
    assert deployment.roles == {"node1": "primary"} | replicas
    assert {node["synchronous_commit"] for node in deployment.settings.values()} == {synchronous_commit}
    assert deployment.manager["kind"] == "operator"
    assert fault.node == "node1"
    assert check.primary in replicas
    assert _in_order(outcome, "fault", "missed", "decided", "fenced", "promoted")
    assert ("repointed" in outcome.kinds()) == (standbys == 2)
    assert outcome.writes_after_fault() > 0
    assert fault.rejoined, fault.rejoin_detail
    if synchronous_commit != "local":  # 1-safe may lose what the standby had not received.
        rejoined(outcome)
    assert {node.role for node in check.nodes} == {"primary", "replica"}


@pytest.mark.long
def test_a_dead_standby_rejoins_and_the_others_continue(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        hot_standby(f"synchronous_commit: remote_write, standbys: 2, manager: {OPERATOR}")
        + kill("replica")
        + timing(),
    )
    sound(outcome)
    rejoined(outcome)
    fault, check = outcome.record.fault, outcome.record.check
    assert fault is not None and check is not None
    assert (fault.node, fault.role, check.primary) == ("node2", "replica", "node1")
    assert "promoted" not in outcome.kinds()
    assert outcome.writes_after_fault() > 0


def test_without_a_manager_no_node_is_promoted(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        hot_standby("synchronous_commit: 'off', standbys: 1, manager: none, reads: replicas")
        + kill()
        + timing(),
    )
    sound(outcome)
    fault, check = outcome.record.fault, outcome.record.check
    assert fault is not None and check is not None
    assert fault.rejoined, fault.rejoin_detail
    assert check.primary == "node1"
    assert outcome.kinds() == ["fault", "ended", "restarted", "rejoined"]
    assert outcome.writes_after_fault() > 0


def test_a_node_that_is_not_restarted_is_reported_as_unavailable(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        hot_standby(f"synchronous_commit: local, standbys: 1, manager: {OPERATOR}")
        + kill(restart_after="null")
        + timing(),
    )
    sound(outcome)
    fault = outcome.record.fault
    assert fault is not None and fault.rejoined is None and fault.restarted is None
    unavailable = outcome.node("node1")
    assert (unavailable.reachable, unavailable.role) == (False, "down")
    assert "not restarted" in unavailable.detail
    assert outcome.node("node2").reachable


def _in_order(outcome: Outcome, *expected: str) -> bool:
    """Return whether these kinds of events first happened in this order."""
    kinds = outcome.kinds()
    return all(kind in kinds for kind in expected) and [kinds.index(kind) for kind in expected] == (
        sorted(kinds.index(kind) for kind in expected)
    )
