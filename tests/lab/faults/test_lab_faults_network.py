"""Network faults on real servers, and their effect on acknowledged rows."""

from pathlib import Path

import pytest
from lab_support import HASTY_OPERATOR, run_trial, timing

_UNFENCED = HASTY_OPERATOR.replace("}", ", fence: false}")

# The primary is cut off from its replicas and its manager, while clients still reach it. The cut lasts for
# two checks that time out, and for a promotion.
_CUT = "faults: [{fault: partition, target: primary, peers: [replicas, manager], duration: 13s}]\n"


def test_asynchronous_mariadb_loses_late_acknowledgements_of_the_old_primary(tmp_path: Path) -> None:
    solution = f"{{solution: replication, replicas: 2, manager: {_UNFENCED}}}"
    # If more than 1000 rows are lost, the record names only the first, and the rows of each side cannot be
    # counted.
    slow = "ledger: {rate: 50}\n"
    outcome = run_trial(tmp_path, f"solutions: [{solution}]\n{slow}{_CUT}" + timing())
    (fault,) = outcome.record.faults
    assert fault.verified and fault.ended_verified, fault
    assert outcome.record.check is not None
    # The replica with more of the old primary's log is promoted.
    primary = outcome.record.check.primary
    assert primary in ("node2", "node3")
    assert outcome.node(primary).lost > 0
    assert fault.rejoined, fault.rejoin_detail
    assert outcome.node("node1").lost == outcome.node(primary).lost, "restored, it has what all have"
    details = [event.detail for event in outcome.record.events if event.kind == "restarted"]
    assert any(f"is writable although {primary} is the primary" in detail for detail in details)
    # There are two primaries: all or nearly all clients stayed with the one that was given up.
    split, *_ = outcome.measures().split_brains
    assert split.overlap.nodes == ("node1", primary) and split.overlap.start > fault.at
    given_up = next(side for side in split.sides if side.node == "node1")
    assert given_up.lost == given_up.acknowledged > 0


def test_two_safe_postgres_loses_nothing_in_the_same_partition(tmp_path: Path) -> None:
    solution = f"{{solution: hot-standby, standbys: 2, manager: {_UNFENCED}}}"
    outcome = run_trial(tmp_path, f"solutions: [{solution}]\n{_CUT}" + timing())
    (fault,) = outcome.record.faults
    assert fault.verified and fault.ended_verified and fault.rejoined, fault
    assert outcome.record.check is not None
    assert [node.node for node in outcome.record.check.nodes if node.lost] == []
    assert "promoted" in outcome.kinds()


def test_after_sync_mariadb_loses_nothing_when_its_primary_is_cut_off_and_fenced(tmp_path: Path) -> None:
    text = f"""
solutions: [{{solution: replication, mode: after_sync, replicas: 2, manager: {HASTY_OPERATOR}}}]
faults: [{{fault: partition, target: primary, peers: [replicas, manager], duration: 13s}}]
"""
    outcome = run_trial(tmp_path, text + timing())
    (fault,) = outcome.record.faults
    assert fault.verified and fault.ended_verified and fault.rejoined, fault
    assert outcome.record.check is not None
    assert [node.node for node in outcome.record.check.nodes if node.lost] == []
    assert "fenced" in outcome.kinds()
    assert outcome.measures().split_brains == []


@pytest.mark.long
def test_a_galera_node_in_the_minority_refuses_with_error_1047(tmp_path: Path) -> None:
    text = """
solutions: [{solution: galera, suspect_timeout: 2s, inactive_timeout: 5s}]
faults: [{fault: partition, target: primary, peers: nodes, duration: 7s}]
"""
    outcome = run_trial(tmp_path, text + timing())
    (fault,) = outcome.record.faults
    assert fault.verified and fault.ended_verified and fault.rejoined, fault
    errors = {(error.kind, error.code) for error in outcome.record.load.errors}
    assert ("not_ready", "1047") in errors
    assert outcome.record.check is not None
    assert [node.node for node in outcome.record.check.nodes if node.lost] == []


def test_a_slow_link_is_seen_and_removed_again(tmp_path: Path) -> None:
    text = """
solutions: [{solution: standalone}]
faults: [{fault: degrade, latency: 200ms, loss: 0.01, duration: 3s}]
"""
    outcome = run_trial(tmp_path, text + timing())
    (fault,) = outcome.record.faults
    assert fault.verified and fault.ended_verified, fault
    assert "latency 200ms, loss 0.01" in fault.detail
    assert fault.rejoined
