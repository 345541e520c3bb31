"""Two NDB clusters that replicate to each other: a channel, a site and a row are lost; rows in conflict."""

from pathlib import Path

import pytest
from lab_support import rejoined, run_trial, sound

from fivenines.base.errors import FiveninesError
from fivenines.software.engines.ndb_archive import ARCHIVES, NdbArchive
from fivenines.solutions.cluster_pair.solution import ClusterPair
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.deployment.in_effect import require_in_effect

pytestmark = pytest.mark.skipif(
    not NdbArchive().fetched,
    reason=f"no archive of NDB Cluster: `fivenines engines add FILE`, or a folder in {ARCHIVES}",
)

NETWORK = "network: [{name: two sites, sites: [east, west], link: {rtt: 2ms}}]\n"
IMSI = "workload: imsi, home: 500, visitors: 500, sites: 2, style: statements"
# No row is changed at both sites.
AT_BOTH_SITES = f"""\
name: tiny
trials: 1
workloads: [{{{IMSI}}}]
connections: [2]
clients:
  - {{name: east1, site: east, endpoint: local, workload: {{{IMSI}, name: east, site: 1}}}}
  - {{name: west1, site: west, endpoint: local, workload: {{{IMSI}, name: west, site: 2}}}}
"""
PLANTED = 1
NDB = "{solution: ndb, heartbeat: 500ms}"


def _text(pair: str, fault: str, recovery: int) -> str:
    return (
        f"solutions: [{{solution: cluster-pair, a: {NDB}, {pair}}}]\n"
        "load: {rate: 20}\n"
        f"timing: {{warmup: 500ms, steady: 2s, recovery: {recovery}s, settle: 120s}}\n"
        f"faults: [{fault}]\n"
    )


@pytest.mark.lasts(80)
def test_a_channel_moves_to_another_server_and_a_missing_row_is_named(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        solution = deployed.solution
        assert isinstance(solution, ClusterPair)
        # This is not logged, so the row stays in b.
        statement = f"DELETE FROM sbtest.imsi_partner WHERE p_id = {PLANTED}"
        node = solution.clusters[1].nodes[0]
        node.sql.execute("SET SESSION sql_log_bin = 0", statement)
        node.sql.execute("SET GLOBAL ndb_read_backup = OFF")
        note = f"{node.name}: ndb_read_backup = 1 was requested, but it has OFF"
        with pytest.raises(FiveninesError, match=note):
            require_in_effect(solution, deployed.access)
        node.sql.execute("SET GLOBAL ndb_read_backup = ON")

    text = NETWORK + _text(
        "channel_failover_after: 1s", "{fault: kill, target: source, restart_after: 6s}", 15
    )
    outcome = run_trial(tmp_path, text, {"checking": plant}, head=AT_BOTH_SITES)
    sound(outcome)
    record = outcome.record
    assert record.fault is not None and record.fault.nodes == ["node1"]
    moved = [item.detail for item in record.events if item.kind == "repointed"]
    # Try again if a node of a busy machine answers late.
    forth, *_ = [text for text in moved if text.startswith("channel a to b")]
    assert "it follows node2 from binlog." in forth and "was down itself" not in forth
    assert any(text.startswith("channel b to a: it follows node") for text in moved)
    rejoined(outcome)
    assert record.settled == "", "all that each cluster wrote has reached the other"
    assert {item.site for item in record.clients} == {"east", "west"}
    assert record.divergence is not None and not record.divergence.left_out
    (difference,) = record.divergence.differences
    assert difference.table == "imsi_partner"
    assert difference.keys == [f"p_id {PLANTED}: not on node3, node4"]


@pytest.mark.long
def test_the_other_site_is_promoted(tmp_path: Path) -> None:
    pair = "writes: a, site_failover_after: 1s, channel_failover_after: 1s"
    outcome = run_trial(tmp_path, NETWORK + _text(pair, "{fault: kill, target: a, restart_after: 3s}", 30))
    sound(outcome)
    record = outcome.record
    assert record.fault is not None
    assert record.fault.nodes == ["node1", "node2", "data1", "data2", "management1"]
    kinds = outcome.kinds()
    assert kinds.index("decided") < kinds.index("promoted")
    assert record.check is not None and record.check.primary in ("node3", "node4")
    assert outcome.writes_after_fault() > 0


@pytest.mark.long
def test_of_a_row_that_both_sites_change_one_wins_at_both(tmp_path: Path) -> None:
    counted: list[int] = []

    def count(deployed: Deployed) -> None:
        for node in deployed.solution.nodes[:2]:
            counted.append(int(node.sql.status("Ndb_conflict_fn_epoch")["ndb_conflict_fn_epoch"]))

    text = (
        f"solutions: [{{solution: cluster-pair, a: {NDB}, conflicts: epoch}}]\n"
        "clients: [{name: east1, site: east, endpoint: local}, {name: west1, site: west, endpoint: local}]\n"
        "connections: [4]\n"
        "workloads: [{workload: oltp_update_non_index, tables: 1, table_size: 20}]\n"
        "timing: {warmup: 500ms, steady: 3s, settle: 120s}\n"
    )
    outcome = run_trial(tmp_path, NETWORK + text, {"checking": count}, head="name: tiny\ntrials: 1\n")
    record = outcome.record
    assert sum(counted) > 0, "rows were in conflict"
    assert record.settled == ""
    assert record.divergence is not None and record.divergence.differences == []
