"""MySQL NDB Cluster on real servers: nodes lose each other, and the arbitrator decides, if there is one."""

from pathlib import Path

import pytest
from lab_ndb import check_all_faults, ended, nothing_lost, run, two_sites, with_ndb
from lab_support import run_trial, timing

pytestmark = with_ndb


# Another test covers a data node that dies.
@pytest.mark.long
def test_one_of_two_isolated_data_nodes_continues(tmp_path: Path) -> None:
    # A data node is declared dead after four heartbeats: a busy one must never be silent for so long.
    text = """
solutions: [{solution: ndb, heartbeat: 1s}]
load: {rate: 40}
faults: [{fault: partition, target: data1, peers: data2, duration: 10s}]
"""
    outcome = run_trial(tmp_path, text + timing(steady=2))
    check_all_faults(outcome)
    nothing_lost(outcome)
    assert len(ended(outcome)) == 1, "which one is chance"


@pytest.mark.long
def test_without_an_arbitrator_no_data_node_continues(tmp_path: Path) -> None:
    faults = """
{at: 0s, fault: {fault: kill, target: all-management, restart_after: 11s}}
{at: 3s, fault: {fault: partition, target: data1, peers: data2, duration: 6s}}
"""
    outcome = run(tmp_path, faults, recovery=12, solution=", management_nodes: 2")
    check_all_faults(outcome)
    killed, cut = outcome.record.faults
    assert killed.nodes == ["management1", "management2"]
    meanwhile = f"slot_ms > {killed.at + 100} AND slot_ms < {cut.at - 100}"
    rows = outcome.rows("timeline", f"SELECT sum(writes_ok) FROM rows WHERE source = 'load' AND {meanwhile}")
    assert int(str(rows[0][0])) > 0, "data nodes notice a missing arbitrator only when they lose each other"
    assert ended(outcome) == ["data1", "data2"]


@pytest.mark.long
def test_the_site_that_reaches_the_arbitrator_continues(tmp_path: Path) -> None:
    hosts = "{east: [node1, client, data1], west: [node2, data2, management1]}"
    fault = "fault: partition, target: site west, peers: site east, duration: 8s"
    outcome = run(tmp_path, fault, recovery=12, more=two_sites(hosts))
    check_all_faults(outcome)
    assert ended(outcome) == ["data1"], "although clients are at its site"
    # A row may exist although its client received a rollback (seen once, with NDB's error 4010): the data
    # nodes that committed it could no longer report that.
    check = outcome.record.check
    assert check is not None and [node.node for node in check.nodes if node.lost] == []


@pytest.mark.long
def test_each_node_group_can_miss_a_data_node_that_is_silent_or_dead(tmp_path: Path) -> None:
    # Each node is monitored by one other: if that is silent, too, it is detected first (4 s in all).
    faults = """
{at: 0s, fault: {fault: freeze, target: data1, duration: 10s}}
{at: 200ms, fault: {fault: host-kill, target: data4, restart_after: 5s}}
"""
    outcome = run(tmp_path, faults, recovery=12, solution=", data_nodes: 4, sql_nodes: 1")
    check_all_faults(outcome)
    nothing_lost(outcome)
    assert ended(outcome) == ["data1"], "it finds that the others went on without it"
