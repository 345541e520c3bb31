"""Durability by role on real servers: a promotion changes it, and a rejoined node has a standby's."""

from pathlib import Path

from lab_support import OPERATOR, Outcome, kill, run_trial, sound, timing

from fivenines.results.records import Event
from fivenines.trial.deployment.deployed import Deployed

MARIADB = "SELECT @@global.innodb_flush_log_at_trx_commit, @@global.sync_binlog"
POSTGRES = "SELECT current_setting('synchronous_commit'), current_setting('fsync')"


def trial(folder: Path, solution: str, question: str) -> tuple[Outcome, dict[str, object]]:
    """Kill the primary, and ask each server for its settings at the trial's end."""
    settings: dict[str, object] = {}

    def ask(deployed: Deployed) -> None:
        roles = deployed.solution.roles.by_name()
        for node in deployed.solution.nodes:
            (settings[roles[node.name]],) = node.sql.query(question)

    text = f"solutions: [{{{solution}, manager: {OPERATOR}}}]\n"
    outcome = run_trial(folder, text + kill() + timing(), {"checking": ask})
    sound(outcome)
    assert outcome.record.fault is not None and outcome.record.fault.rejoined
    assert outcome.record.check is not None and outcome.record.check.primary == "node2"
    return outcome, settings


def durability_events(outcome: Outcome, node: str) -> list[Event]:
    """Return the events about a node's durability, in order."""
    return [event for event in outcome.record.events if (event.kind, event.node) == ("durability", node)]


def at_start(outcome: Outcome, node: str, name: str) -> str:
    assert outcome.record.deployment is not None
    return outcome.record.deployment.settings[node][name]


def test_a_relaxed_primary_and_strict_standbys_on_mariadb(tmp_path: Path) -> None:
    solution = (
        "solution: replication, replicas: 1, mode: after_sync, "
        "durability: {primary: relaxed, standby: strict}"
    )
    outcome, found = trial(tmp_path, solution, MARIADB)
    assert at_start(outcome, "node1", "innodb_flush_log_at_trx_commit") == "2"
    assert at_start(outcome, "node2", "innodb_flush_log_at_trx_commit") == "1"
    assert found == {"primary": (2, 0), "replica": (1, 1)}
    fault, node2 = outcome.record.fault, durability_events(outcome, "node2")
    assert fault is not None
    assert [event.detail.split(":")[0] for event in node2] == ["strict as standby", "relaxed as primary"]
    assert node2[0].t < fault.at < node2[1].t, "set when its role changed"
    assert durability_events(outcome, "node1")[-1].detail.startswith("strict as standby")
    assert outcome.node("node2").lost == 0, "2-safe received: a standby had it"


def test_an_adaptive_primary_on_postgresql(tmp_path: Path) -> None:
    solution = "solution: hot-standby, synchronous_commit: 'off', durability: adaptive"
    outcome, found = trial(tmp_path, solution, POSTGRES)
    assert at_start(outcome, "node1", "synchronous_commit") == "off"
    assert at_start(outcome, "node2", "synchronous_commit") == "on"
    assert found == {"primary": ("off", "on"), "replica": ("on", "on")}
    node2 = [event.detail.split(":")[0] for event in durability_events(outcome, "node2")]
    assert node2 == ["strict as standby", "strict as primary, without a standby", "relaxed as primary"]
