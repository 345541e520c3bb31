"""Frozen hosts and frozen failover managers on real servers: who is promoted, and what that costs."""

from pathlib import Path

import pytest
from lab_support import OPERATOR, TRIES, run_trial, timing


@pytest.mark.lasts(30)
def test_a_frozen_host_is_replaced_and_fenced(tmp_path: Path) -> None:
    text = f"""
solutions: [{{solution: hot-standby, standbys: 2, manager: {OPERATOR}}}]
faults: [{{fault: host-freeze, duration: 17s}}]
"""
    outcome = run_trial(tmp_path, text + TRIES + timing())
    (fault,) = outcome.record.faults
    assert (fault.verified, fault.ended_verified, fault.nodes) == (True, True, ["node1"])
    assert "processes of the host" in fault.detail
    kinds = outcome.kinds()
    assert kinds.index("fenced") < kinds.index("promoted")
    assert fault.rejoined, "it was started again, on a host that goes on"
    response = outcome.measures().response
    assert response is not None and response.kind == "promoted", "nothing had died: a needless failover"


@pytest.mark.lasts(35)
def test_a_dead_primary_waits_for_a_frozen_operator(tmp_path: Path) -> None:
    text = f"""
solutions: [{{solution: hot-standby, manager: {OPERATOR}}}]
faults:
- fault: sequence
  steps:
  - {{at: 0s, fault: {{fault: manager-freeze, duration: 6s}}}}
  - {{at: 500ms, fault: {{fault: kill, restart_after: 20s}}}}
"""
    outcome = run_trial(tmp_path, text + TRIES + timing())
    frozen, killed = outcome.record.faults
    assert (frozen.verified, frozen.ended_verified, frozen.nodes) == (True, True, ["manager"])
    (promoted,) = [event for event in outcome.record.events if event.kind == "promoted"]
    assert frozen.ended is not None and promoted.t > frozen.ended
    assert promoted.node == "node2" and killed.verified


@pytest.mark.lasts(45)
def test_a_frozen_patroni_leaves_its_primary_writable(tmp_path: Path) -> None:
    # Its lock expires after `ttl`, and only Patroni itself would have demoted the server (no watchdog).
    text = """
solutions: [{solution: patroni, version: 3, ttl: 9s, loop_wait: 1s, retry_timeout: 3s, etcd_election: 2s}]
faults: [{fault: manager-freeze, duration: 24s}]
"""
    outcome = run_trial(tmp_path, text + TRIES + timing())
    (fault,) = outcome.record.faults
    assert (fault.verified, fault.ended_verified, fault.nodes) == (True, True, ["node1"])
    (promoted, *_) = [event for event in outcome.record.events if event.kind == "promoted"]
    assert fault.ended is not None and fault.at < promoted.t < fault.ended and promoted.node != "node1"
    measures = outcome.measures()
    # One for each time in which both answer: on a busy machine one of them may be silent for a moment.
    splits = measures.split_brains
    assert splits and all(set(split.overlap.nodes) == {"node1", promoted.node} for split in splits)
    assert measures.response is not None and measures.response.kind == "promoted"
    assert fault.rejoined, "Patroni demotes it at once when it goes on"
