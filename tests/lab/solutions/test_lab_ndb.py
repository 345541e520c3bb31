"""MySQL NDB Cluster on real servers: processes die, stop and lose their disks; the data are checked."""

from pathlib import Path

import pytest
from lab_ndb import check_all_faults, ended, nothing_lost, run, two_sites, with_ndb

pytestmark = with_ndb


@pytest.mark.lasts(70)
def test_a_data_node_and_an_sql_node_die_and_come_back(tmp_path: Path) -> None:
    faults = """
{at: 0s, fault: {fault: kill, target: data, restart_after: 2s}}
{at: 1s, fault: {fault: kill, target: primary, restart_after: 2s}}
"""
    outcome = run(tmp_path, faults)
    check_all_faults(outcome)
    nothing_lost(outcome)
    assert [fault.nodes for fault in outcome.record.faults] == [["data1"], ["node1"]]
    deployment = outcome.record.deployment
    assert deployment is not None
    assert deployment.roles == {"node1": "primary", "node2": "replica"}
    assert {name: host.kind for name, host in deployment.hosts.items()} == {
        "management1": "management",
        "data1": "data",
        "data2": "data",
        "node1": "node",
        "node2": "node",
        "client": "client",
    }
    assert deployment.settings["node1"]["default_storage_engine"] == "ndbcluster"


@pytest.mark.long
def test_a_kill_of_all_data_nodes_loses_rows_since_the_global_checkpoint(tmp_path: Path) -> None:
    # One checkpoint in more than the load's time before the fault: later acknowledged rows are in memory
    # alone.
    fault = "fault: kill, target: all-data, restart_after: 1s"
    outcome = run(tmp_path, fault, solution=", global_checkpoint: 20s")
    check_all_faults(outcome)
    record = outcome.record
    assert record.fault is not None and record.check is not None
    assert sorted(record.fault.nodes) == ["data1", "data2"]
    assert all(node.lost > 0 for node in record.check.nodes)


@pytest.mark.long
def test_a_lost_site_ends_a_cluster_whose_node_groups_lie_at_one_site_each(tmp_path: Path) -> None:
    fault = "fault: host-kill, target: site west, restart_after: 5s"
    solution = ", data_nodes: 4, placement: grouped"
    outcome = run(tmp_path, fault, solution=solution, more=two_sites())
    check_all_faults(outcome)
    (injected,) = outcome.record.faults
    assert sorted(injected.nodes) == ["data2", "data4", "node2"], "a whole node group, and an SQL node"
    assert ended(outcome) == ["data1", "data3"], "no arbitrator can give them the lost rows"
    rows = outcome.rows("timeline", "SELECT count(*) FROM rows WHERE writes_failed > 0")
    assert int(str(rows[0][0])) > 0


@pytest.mark.long
def test_the_shutdown_of_a_data_node_with_a_slow_link_interrupts_no_client(tmp_path: Path) -> None:
    faults = """
{at: 0s, fault: {fault: degrade, target: data2, latency: 30ms, duration: 2s}}
{at: 3s, fault: {fault: stop, target: data2, restart_after: 3s}}
"""
    outcome = run(tmp_path, faults)
    check_all_faults(outcome)
    nothing_lost(outcome)
    assert "round trip" in outcome.record.faults[0].detail
    assert "clean shutdown" in outcome.record.faults[1].detail
    assert ended(outcome) == []


@pytest.mark.long
def test_a_data_node_continues_with_a_slow_disk_and_ends_with_a_full_one(tmp_path: Path) -> None:
    faults = """
{at: 0s, fault: {fault: slow-disk, target: data1, delay: 100ms, duration: 4s}}
{at: 5s, fault: {fault: full-disk, target: data1, duration: 4s}}
"""
    # A local checkpoint is due after 64 words written since the last one.
    often = ", local_checkpoint: 6, global_checkpoint: 500ms"
    outcome = run(tmp_path, faults, solution=often, recovery=10)
    check_all_faults(outcome)
    nothing_lost(outcome)
    assert ended(outcome) == ["data1"]
