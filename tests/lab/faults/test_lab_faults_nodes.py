"""Faults of nodes, of managers and of proxies on real servers: they are injected, end, and lose nothing."""

import re
import signal
from pathlib import Path
from threading import Timer

import pytest
from lab_support import HASTY_OPERATOR, Outcome, kill, run_trial, sound, timing

from fivenines.lab import limits
from fivenines.results.records import FaultRecord
from fivenines.trial.deployment.deployed import Deployed


def _faults(outcome: Outcome) -> dict[str, FaultRecord]:
    """Return the faults of a sequence by kind; all took effect and ended."""
    faults = {item.kind: item for item in outcome.record.faults}
    for item in faults.values():
        assert item.verified, item
        assert item.ended is not None and item.ended_verified, item
        assert item.rejoined is not False, item
    return faults


def _nothing_lost(outcome: Outcome) -> None:
    check = outcome.record.check
    assert check is not None and check.acknowledged > 0
    assert [node for node in check.nodes if node.lost or node.phantom or not node.reachable] == []


@pytest.mark.long
def test_postgres_through_six_faults_in_a_row(tmp_path: Path) -> None:
    text = f"""
solutions: [{{solution: hot-standby, standbys: 2, manager: {HASTY_OPERATOR}}}]
faults:
- fault: sequence
  steps:
  - {{at: 0s, fault: {{fault: freeze, target: node3, duration: 1s}}}}
  - {{at: 500ms, fault: {{fault: long-transaction, duration: 1s}}}}
  - {{at: 2s, fault: {{fault: restart, target: node2}}}}
  - {{at: 3s, fault: {{fault: stalled-replica, target: node3, duration: 1s}}}}
  - {{at: 5s, fault: switchover}}
  - {{at: 8s, fault: {{fault: host-kill, restart_after: 1s}}}}
"""
    outcome = run_trial(tmp_path, text + timing())
    faults = _faults(outcome)
    assert list(faults) == [
        "freeze",
        "long-transaction",
        "restart",
        "stalled-replica",
        "switchover",
        "host-kill",
    ]
    assert "rows of sbtest" in faults["long-transaction"].detail
    assert faults["switchover"].node == "node1"
    assert faults["host-kill"].node != "node1", "the target is resolved at the moment of the injection"
    assert "network cut" in faults["host-kill"].detail
    assert outcome.kinds().count("promoted") == 2
    assert outcome.writes_after_fault() > 0
    _nothing_lost(outcome)
    assert outcome.measures().split_brains == [], "not even for a moment of the switchover"


@pytest.mark.lasts(25)
def test_no_node_is_promoted_while_the_manager_is_dead(tmp_path: Path) -> None:
    text = f"""
solutions: [{{solution: replication, mode: after_sync, replicas: 2, manager: {HASTY_OPERATOR}}}]
faults:
- fault: sequence
  steps:
  - {{at: 0s, fault: {{fault: manager, restart_after: 3s}}}}
  - {{at: 500ms, fault: {{fault: freeze, target: primary, duration: 17s}}}}
"""
    # It stays frozen for nearly all of the load: remediation on a busy machine is slow.
    outcome = run_trial(tmp_path, text + timing())
    faults = _faults(outcome)
    (promoted,) = [event for event in outcome.record.events if event.kind == "promoted"]
    assert promoted.t > (faults["manager"].ended or 0.0)
    assert promoted.node != "node1"
    assert faults["freeze"].restarted is not None, "it was fenced, and has to be started again"
    _nothing_lost(outcome)


# Other tests cover each of the two alone.
@pytest.mark.long
def test_galera_without_its_proxy_and_without_its_write_node(tmp_path: Path) -> None:
    text = """
solutions:
- {solution: galera, suspect_timeout: 2s, inactive_timeout: 5s, access: {kind: haproxy, interval: 300ms}}
faults:
- fault: sequence
  steps:
  - {at: 0s, fault: {fault: switchover, duration: 2s}}
  - {at: 7s, fault: {fault: proxy, restart_after: 1s}}
  - {at: 10s, fault: {fault: stalled-replica, target: node3, duration: 1s}}
"""
    # A busy machine is slow to switch over and back, which requires the proxy.
    outcome = run_trial(tmp_path, text + timing())
    faults = _faults(outcome)
    assert "maintenance at HAProxy" in faults["switchover"].detail
    assert "Desynced" in faults["stalled-replica"].detail
    _nothing_lost(outcome)
    assert outcome.record.deployment is not None
    hosts = outcome.record.deployment.hosts
    assert [name for name, host in hosts.items() if host.forwards] == ["proxy"]
    assert {host.kind for host in hosts.values()} == {"node", "proxy", "client"}
    assert outcome.measures().split_brains == [], "all of its nodes may take writes"


@pytest.mark.lasts(35)
def test_a_galera_survivor_of_a_majority_is_bootstrapped(tmp_path: Path) -> None:
    text = """
solutions: [{solution: galera, suspect_timeout: 2s, inactive_timeout: 5s, bootstrap_after: 1s}]
faults: [{fault: kill, target: majority, restart_after: 15s}]
"""
    # No setting makes the restart wait for it.
    outcome = run_trial(tmp_path, text + timing())
    faults = _faults(outcome)
    assert faults["kill"].nodes == ["node1", "node2"]
    (bootstrapped, *_) = [event for event in outcome.record.events if event.kind == "bootstrapped"]
    assert bootstrapped.node == "node3"
    assert bootstrapped.t < (faults["kill"].restarted or 0.0)
    _nothing_lost(outcome)


def test_a_storm_fills_a_server_and_passes(tmp_path: Path) -> None:
    text = """
solutions: [{solution: standalone}]
faults: [{fault: connection-storm, connections: 350, duration: 2s}]
"""
    outcome = run_trial(tmp_path, text + timing())
    faults = _faults(outcome)
    assert "350 clients connected at once" in faults["connection-storm"].detail
    _nothing_lost(outcome)


def test_a_starved_server_waits_for_its_cpu_time(tmp_path: Path) -> None:
    text = """
solutions: [{solution: standalone}]
faults: [{fault: slow-cpu, taken: 98%, duration: 3s}]
"""
    outcome = run_trial(tmp_path, text + timing())
    (fault,) = outcome.record.faults
    groups = limits.detect()
    if not groups.usable:
        assert not fault.verified and groups.reason in fault.detail
        return
    _faults(outcome)
    assert "share 2 % of a core" in fault.detail
    waited = re.search(r"had to wait in (\d+) of (\d+) periods", fault.ended_detail)
    assert waited and 0 < int(waited[1]) <= int(waited[2])
    _nothing_lost(outcome)


def test_a_primary_that_answers_late_is_still_the_target(tmp_path: Path) -> None:
    """For some seconds around the fault, the server accepts no new session, and serves the clients' ones."""

    def silence(deployed: Deployed) -> None:
        postmaster = deployed.solution.nodes[0].process
        assert postmaster is not None
        for after, number in ((1.0, signal.SIGSTOP), (8.0, signal.SIGCONT)):
            Timer(after, postmaster.interrupt, [number]).start()

    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: hot-standby, engine: postgres-18, standbys: 1, manager: none}]\n"
        + kill()
        + timing(),
        {"warm-up and steady load": silence},
    )
    sound(outcome)
    assert outcome.record.fault is not None and outcome.record.fault.node == "node1"
