"""Run short trials of MySQL NDB Cluster, and read why its data nodes ended.

No package contains it: the tests need an archive, see `fivenines engines add`.
"""

from pathlib import Path

import pytest
from lab_support import PATIENCE, Outcome, run_trial

from fivenines.software.engines.ndb_archive import ARCHIVES, NdbArchive

with_ndb = pytest.mark.skipif(
    not NdbArchive().fetched,
    reason=f"no archive of NDB Cluster: `fivenines engines add FILE`, or a folder in {ARCHIVES}",
)


def run(folder: Path, faults: str, *, solution: str = "", recovery: int = 8, more: str = "") -> Outcome:
    """Run a trial with these faults: one as `fault: kill, ...`, or the steps of a sequence, one per line."""
    steps = [line.strip() for line in faults.strip().splitlines()]
    fault = steps[0] if len(steps) == 1 else f"fault: sequence, steps: [{', '.join(steps)}]"
    text = f"""
solutions: [{{solution: ndb, heartbeat: 500ms{solution}}}]
load: {{rate: 40}}
timing: {{warmup: 500ms, steady: 2s, recovery: {recovery * PATIENCE:g}s, settle: {120 * PATIENCE:g}s}}
faults: [{{{fault}}}]
"""
    return run_trial(folder, text + more)


def two_sites(hosts: str = "[east, west]") -> str:
    """Return the settings of a network of two sites with a delay of 2 ms."""
    return f"network: [{{name: two, sites: {hosts}, link: {{rtt: 2ms}}}}]\n"


def nothing_lost(outcome: Outcome) -> None:
    """Check that every SQL node has all acknowledged rows and no refused ones, and that writes went on."""
    check = outcome.record.check
    assert check is not None
    assert [(node.node, node.lost, node.phantom) for node in check.nodes if node.lost or node.phantom] == []
    assert outcome.writes_after_fault() > 0


def check_all_faults(outcome: Outcome) -> None:
    """Check that every fault took effect and ended, and that its targets recovered."""
    assert outcome.record.faults, outcome.record.events
    for fault in outcome.record.faults:
        assert fault.verified and fault.ended_verified, fault
        assert fault.rejoined, fault.rejoin_detail
    check = outcome.record.check
    assert check is not None and check.acknowledged > 0
    assert [(node.node, node.detail) for node in check.nodes if not node.reachable] == []
    assert all(node.duplicate == 0 for node in check.nodes)


def ended(outcome: Outcome) -> list[str]:
    """Return the data nodes that shut themselves down. NDB has several error codes for one state."""
    logs = (outcome.folder / "logs").glob("data*/log/server.out")
    message = "Forced node shutdown completed."
    return sorted(log.parts[-3] for log in logs if message in log.read_text(errors="replace"))
