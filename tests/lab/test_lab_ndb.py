"""MySQL NDB Cluster on real servers: every kind of its nodes is broken, and the data are checked.

No package carries it: the tests need an archive, see `fivenines engines add`.
"""

from pathlib import Path

import pytest
from lab_support import Outcome, rejoined, run_trial, sound

from fivenines.servers.ndb.data_node import DataNode
from fivenines.software.ndb_archive import ARCHIVES, NdbArchive

pytestmark = pytest.mark.skipif(
    not NdbArchive().fetched,
    reason=f"no archive of NDB Cluster: `fivenines engines add FILE`, or a folder in {ARCHIVES}",
)

LOAD = "load: {rate: 40}\n"


def _solution(more: str = "") -> str:
    return f"solutions: [{{solution: ndb, heartbeat: 500ms{more}}}]\n"


def _timing(recovery: int) -> str:
    return f"timing: {{warmup: 500ms, steady: 2s, recovery: {recovery}s, settle: 60s}}\n"


def _run(folder: Path, fault: str, recovery: int, more: str = "") -> Outcome:
    text = _solution(more) + LOAD + _timing(recovery) + f"faults: [{{{fault}}}]\n"
    return run_trial(folder, text)


def _nothing_lost(outcome: Outcome) -> None:
    check = outcome.record.check
    assert check is not None
    assert [(node.node, node.lost) for node in check.nodes if node.lost] == []
    assert outcome.writes_after_fault() > 0


def test_a_data_node_dies_and_comes_back(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "fault: kill, target: data, restart_after: 2s", 8)
    sound(outcome)
    rejoined(outcome)
    _nothing_lost(outcome)
    deployment = outcome.record.deployment
    assert deployment is not None
    assert deployment.roles == {"node1": "primary", "node2": "replica"}
    assert {name: host.kind for name, host in deployment.hosts.items()} == {
        "management1": "management", "data1": "data", "data2": "data", "node1": "node", "node2": "node",
        "client": "client",
    }  # fmt: skip
    settings = deployment.settings["node1"]
    assert settings["default_storage_engine"] == "ndbcluster"


def test_an_sql_node_dies_and_the_other_takes_the_writes(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "fault: kill, target: primary, restart_after: 2s", 8)
    sound(outcome)
    rejoined(outcome)
    _nothing_lost(outcome)


def test_all_data_nodes_at_once_lose_what_no_global_checkpoint_has(tmp_path: Path) -> None:
    # one checkpoint in longer than the load before the fault: what was acknowledged since is in memory alone
    fault = "fault: kill, target: all-data, restart_after: 1s"
    outcome = _run(tmp_path, fault, 25, ", global_checkpoint: 20s")
    record = outcome.record
    assert record.fault is not None and record.check is not None
    assert record.fault.verified and sorted(record.fault.nodes) == ["data1", "data2"]
    assert record.fault.rejoined, record.fault.rejoin_detail
    assert all(node.lost > 0 for node in record.check.nodes)


def test_a_node_group_that_is_lost_ends_the_cluster(tmp_path: Path) -> None:
    ended: list[bool] = []
    fault = "fault: kill, target: group1, restart_after: 2s"
    text = (
        _solution(", data_nodes: 4, sql_nodes: 1") + LOAD + _timing(30) + f"faults: [{{{fault}}}]\n"
    )

    def look(deployed: object) -> None:
        parts = deployed.solution.parts  # type: ignore[attr-defined]
        ended.extend(one.alive for one in parts if isinstance(one, DataNode))

    outcome = run_trial(tmp_path, text, {"checking": look})
    record = outcome.record
    assert record.fault is not None
    assert record.fault.verified and len(record.fault.nodes) == 2
    assert record.fault.rejoined, record.fault.rejoin_detail
    assert len(ended) == 4 and all(ended), "the survivors ended, and all came back"
    rows = outcome.rows("timeline", "SELECT count(*) FROM rows WHERE writes_failed > 0")
    assert int(str(rows[0][0])) > 0


def test_the_management_node_is_not_missed(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "fault: kill, target: arbitrator, restart_after: 2s", 4)
    sound(outcome)
    assert outcome.record.fault is not None and outcome.record.fault.nodes == ["management1"]
    rejoined(outcome)
    _nothing_lost(outcome)


def test_a_data_node_that_is_cut_off_ends_itself_and_is_started_again(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "fault: partition, target: data2, duration: 8s", 20)
    sound(outcome)
    rejoined(outcome)
    _nothing_lost(outcome)


def test_a_data_node_is_shut_down_cleanly(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "fault: stop, target: data2, restart_after: 3s", 15)
    sound(outcome)
    rejoined(outcome)
    _nothing_lost(outcome)
