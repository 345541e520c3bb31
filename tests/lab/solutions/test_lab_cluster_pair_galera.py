"""Two Galera clusters that replicate to each other: a channel's server and a whole site are lost."""

from pathlib import Path

import pytest
from lab_support import Outcome, run_trial, sound

HEAD = """\
name: tiny
trials: 1
workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]
connections: [2]
network: [{name: two sites, sites: [east, west], link: {rtt: 2ms}}]
"""
GALERA = "{solution: galera, suspect_timeout: 1s, inactive_timeout: 3s}"


def _run(folder: Path, pair: str, fault: str, recovery: int) -> Outcome:
    text = (
        f"solutions: [{{solution: cluster-pair, a: {GALERA}, {pair}}}]\n"
        "load: {rate: 20}\n"
        f"timing: {{warmup: 500ms, steady: 2s, recovery: {recovery}s, settle: 60s}}\n"
        f"faults: [{fault}]\n"
    )
    return run_trial(folder, text, head=HEAD)


@pytest.mark.long
def test_a_channel_moves_to_other_servers(tmp_path: Path) -> None:
    pair = "direction: both, writes: both, channel_failover_after: 1s"
    outcome = _run(tmp_path, pair, "{fault: kill, target: source, restart_after: 6s}", 12)
    sound(outcome)
    record = outcome.record
    assert record.fault is not None and record.fault.nodes == ["node1"]
    moved = [event.detail for event in record.events if event.kind == "repointed"]
    assert any(text.startswith("channel a to b: it follows node") for text in moved)
    assert record.settled == "", "all that each cluster wrote has reached the other"
    assert record.check is not None and not any(node.lost for node in record.check.nodes)
    assert record.divergence is not None
    assert record.divergence.compared and not record.divergence.left_out
    assert record.divergence.differences == []


@pytest.mark.long
def test_the_other_site_is_promoted_and_the_first_follows_it(tmp_path: Path) -> None:
    pair = "writes: a, site_failover_after: 1s, channel_failover_after: 1s"
    outcome = _run(tmp_path, pair, "{fault: kill, target: a, restart_after: 6s}", 25)
    sound(outcome)
    record = outcome.record
    assert record.fault is not None and record.fault.nodes == ["node1", "node2", "node3"]
    kinds = outcome.kinds()
    assert kinds.index("decided") < kinds.index("promoted")
    assert outcome.writes_after_fault() > 0
    assert record.check is not None
    # The promoted site lacks only rows that had not arrived yet.
    writer = next(event.node for event in record.events if event.kind == "promoted")
    assert writer in ("node4", "node5", "node6")
    assert record.check.primary == writer
