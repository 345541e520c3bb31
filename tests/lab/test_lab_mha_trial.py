"""A whole trial with MHA: the primary is killed under load, clients find the next one by themselves."""

from pathlib import Path

from lab_support import HEAD, run_one, timing

from fivenines.analysis.cells import analyse

TEXT = """\
solutions: [{solution: replication, mode: after_sync, manager: {kind: mha, ping_interval: 1}}]
faults: [{fault: kill, target: primary, restart_after: 1s}]
"""


def test_a_kill_under_load_loses_nothing_and_is_split_into_phases(tmp_path: Path) -> None:
    run = run_one(tmp_path, HEAD + TEXT + timing(recovery=30, settle=30), {})
    (cell,) = analyse(run)
    (trial,) = cell.trials
    (fault,) = trial.faults
    assert [phase.name for phase in fault.failover.phases][:4] == [
        "detect",
        "promote",
        "route",
        "reconnect",
    ]
    record = trial.record
    kinds = [event.kind for event in record.events]
    steps = [kinds.index(kind) for kind in ("missed", "decided", "fenced", "promoted", "repointed")]
    assert steps == sorted(steps)
    assert kinds.index("restarted") > kinds.index("repointed"), "MHA is left alone at its work"
    assert record.fault is not None and record.check is not None
    assert record.fault.rejoined, record.fault.rejoin_detail
    assert [node.node for node in record.check.nodes if not node.reachable or node.lost] == []
    assert all(node.phantom == node.duplicate == 0 for node in record.check.nodes)
    assert record.divergence is not None and record.divergence.differences == []
