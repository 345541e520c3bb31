"""A complete trial with MHA: the primary is killed under load, and MHA moves the proxy's entry."""

from pathlib import Path

import pytest
from lab_support import HEAD, run_one, timing

from fivenines.analysis.cells import analyse
from fivenines.trial.deployment.deployed import Deployed

TEXT = """\
solutions:
- solution: replication
  mode: after_sync
  durability: {primary: relaxed, standby: strict}
  access: {kind: haproxy, entry: manager}
  manager: {kind: mha, ping_interval: 1}
faults: [{fault: kill, target: primary, restart_after: 1s}]
"""


def switched(deployed: Deployed) -> None:
    """Check that a planned switchover, once all nodes are members again, moves the entry as well."""
    assert deployed.manager is not None
    known = len(deployed.manager.events())
    new = deployed.manager.switch_over()
    events = [(event.kind, event.node) for event in deployed.manager.events()[known:]]
    assert events.index(("entry", new)) < events.index(("promoted", new))
    # HAProxy's own report shows the moves; the written configuration is for its next start.
    file = deployed.lab.hosts["proxy"].node / "conf" / "haproxy.cfg"
    assert f"server entry {deployed.solution.node(new).endpoint}\n" in file.read_text()


@pytest.mark.lasts(60)
def test_a_kill_under_load_loses_nothing_and_is_split_into_phases(tmp_path: Path) -> None:
    run = run_one(tmp_path, HEAD + TEXT + timing(), {"checking": switched})
    (cell,) = analyse(run)
    (trial,) = cell.trials
    (fault,) = trial.faults
    assert [phase.name for phase in fault.failover.phases][:4] == ["detect", "promote", "route", "reconnect"]
    record = trial.record
    kinds = [event.kind for event in record.events]
    order = ("missed", "decided", "fenced", "entry", "promoted", "repointed")
    steps = [kinds.index(kind) for kind in order]
    assert steps == sorted(steps)
    new = next(event.node for event in record.events if event.kind == "promoted")
    events = {event.kind: event for event in record.events if event.node == new}
    assert (events["entry"].node, events["promoted"].node) == (new, new)
    # The move belongs to the phase promote: route begins when the node accepts writes.
    phases = {phase.name: phase for phase in fault.failover.phases}
    assert phases["promote"].start <= events["entry"].t <= phases["promote"].end
    assert events["durability"].detail.startswith("relaxed as primary")
    assert kinds.index("restarted") > kinds.index("repointed"), "MHA is left alone at its work"
    assert record.fault is not None and record.check is not None
    assert record.fault.rejoined, record.fault.rejoin_detail
    assert [node.node for node in record.check.nodes if not node.reachable or node.lost] == []
    assert all(node.phantom == node.duplicate == 0 for node in record.check.nodes)
    assert record.divergence is not None and record.divergence.differences == []
