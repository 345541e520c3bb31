"""A replicated disk under Pacemaker, on virtual machines: it moves with the server, both disks alike."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_support import LIMIT, PATIENCE, Outcome, run_trial, timing

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.load.workloads.oltp import Oltp
from fivenines.solutions.drbd.settings import DrbdSettings
from fivenines.solutions.drbd.solution import Drbd
from fivenines.trial.deployment.deployed import Deployed, engines_of
from fivenines.trial.deployment.in_effect import require_in_effect

WORKLOAD = Oltp(workload="oltp_read_write", tables=2, table_size=500)


def _quiet(_message: str, _fraction: float | None) -> None:
    return


@pytest.fixture
def deployed(tmp_path: Path) -> Iterator[Deployed]:
    # The disk is small, as all of it is compared twice.
    settings = DrbdSettings(solution="drbd", disk=160 * 2**20, server={"max_connect_errors": "77"})
    for engine in engines_of(settings):
        engine.require(_quiet)
    with Deployed(settings, Drbd.preparation(settings).data(WORKLOAD, _quiet), tmp_path / "lab") as made:
        made.bring_up()
        yield made


# Virtual machines without hardware support: next to two other tests it took 300 s.
@pytest.mark.lasts(150)
@pytest.mark.timeout(900 * PATIENCE)
def test_the_disk_is_shared_moves_at_a_switchover_and_a_planted_difference_is_found(
    deployed: Deployed,
) -> None:
    drbd = deployed.solution
    assert isinstance(drbd, Drbd) and deployed.manager is not None
    first, other = drbd.nodes
    assert drbd.roles.by_name() == {"node1": "primary", "node2": "replica"}
    assert [drbd.membership.not_joined_reason(node) for node in drbd.nodes] == ["", ""]
    assert drbd.serving == [first]
    first.sql.execute("SET GLOBAL max_connect_errors = 78")
    with pytest.raises(FiveninesError, match="node1: max_connect_errors = 77 was requested"):
        require_in_effect(drbd, deployed.access)
    first.sql.execute("SET GLOBAL max_connect_errors = 77")
    require_in_effect(drbd, deployed.access)
    first.sql.execute("CREATE TABLE sbtest.here (id INT PRIMARY KEY)", "INSERT INTO sbtest.here VALUES (7)")
    assert deployed.manager.switch_over() == "node2"
    assert other.sql.query("SELECT id FROM sbtest.here") == [(7,)]
    wait_until(lambda: drbd.membership.not_joined_reason(first), LIMIT, "the first node did not come back")
    assert drbd.roles.by_name() == {"node1": "replica", "node2": "primary"}
    # Below DRBD, in a block that the file system has not used.
    plant = "dd if=/dev/urandom of=/dev/ubda bs=4096 count=1 seek=$(( $(cat /sys/block/ubda/size) / 16 ))"
    first.host.commands.run(["sh", "-c", f"{plant} conv=fsync"])
    differs = drbd.compare_copies({})
    assert (differs.incomplete, differs.left_out) == ("", {})
    assert differs.reference == "node2"
    (disk,) = differs.differences
    assert (disk.table, disk.differing) == ("the disk", 1)
    assert disk.checksums == {"node1": "blocks of 4096 bytes that differ on the other node: 1"}


@pytest.mark.long
def test_protocol_c_loses_nothing_with_the_power(tmp_path: Path) -> None:
    text = """
solutions: [{solution: drbd}]
load: {answer_timeout: 2s, connect_timeout: 1s}
faults: [{fault: power-loss, restart_after: 18s}]
"""
    outcome = run_trial(tmp_path, text + timing(steady=3))
    (fault,) = outcome.record.faults
    assert fault.verified and fault.ended_verified and fault.rejoined, fault
    assert outcome.kinds().count("promoted") >= 1
    assert outcome.writes_after_fault() > 0
    check = outcome.record.check
    assert check is not None and check.acknowledged > 0
    assert [node.lost for node in check.nodes] == [0], "one server has been asked"
    compared = outcome.record.divergence
    assert compared is not None and compared.tables == 1 and not compared.differences, compared
    rows = outcome.rows("disks", "SELECT DISTINCT node, connection FROM rows")
    # Until the power fails, and for this node alone.
    assert {("node1", "Connected"), ("node2", "Connected")} <= set(rows)
    assert any(node == "node2" and state != "Connected" for node, state in rows)


@pytest.mark.long
def test_protocol_a_loses_writes_in_flight(tmp_path: Path) -> None:
    text = """
solutions: [{solution: drbd, protocol: A}]
load: {answer_timeout: 2s, connect_timeout: 1s}
network: [{sites: {a: [node1, client], b: [node2]}, link: {rtt: 20ms, bandwidth: 4Mbit/s}}]
faults: [{fault: power-loss, restart_after: null}]
"""
    outcome = run_trial(tmp_path, text + timing(30, steady=3, settle=5))
    check = outcome.record.check
    assert check is not None
    assert sum(node.lost for node in check.nodes) > 0


def _trial(folder: Path, solution: str, fault: str, recovery: float = 25) -> Outcome:
    text = f"""
solutions: [{{solution: drbd, {solution}}}]
load: {{answer_timeout: 2s, connect_timeout: 1s}}
faults: [{{{fault}}}]
"""
    outcome = run_trial(folder, text + timing(recovery, steady=3, settle=60))
    (fault_record,) = outcome.record.faults
    assert fault_record.verified, fault_record
    return outcome


_CUT = "fault: partition, target: primary, peers: nodes, duration: 12s"
_FENCED = "manager: {kind: pacemaker-drbd, fence: true}"


@pytest.mark.long
@pytest.mark.parametrize("engine", ["mysql-9.7", "postgres-18"])
def test_other_servers_move_with_the_disk(tmp_path: Path, engine: str) -> None:
    fault = "fault: power-loss, restart_after: null"
    outcome = _trial(tmp_path, f"engine: {engine}, verify: false", fault, recovery=40)
    assert outcome.kinds().count("promoted") == 1
    assert outcome.writes_after_fault() > 0
    check = outcome.record.check
    assert check is not None and check.acknowledged > 0
    assert [node.lost for node in check.nodes] == [0]


@pytest.mark.long
def test_the_standby_rejoins_and_catches_up(tmp_path: Path) -> None:
    fault = "fault: power-loss, target: replica, restart_after: 4s"
    outcome = _trial(tmp_path, "protocol: C", fault, recovery=25)
    assert outcome.record.faults[0].rejoined, outcome.record.faults
    assert "promoted" not in outcome.kinds(), "the server stayed where it was"
    assert "resynced" in outcome.kinds()
    assert outcome.writes_after_fault() > 0
    compared = outcome.record.divergence
    assert compared is not None and compared.tables == 1 and not compared.differences, compared


@pytest.mark.long
def test_a_slow_disk_of_the_standby_is_everybodys_under_protocol_c(tmp_path: Path) -> None:
    fault = "fault: slow-disk, target: replica, delay: 300ms, duration: 6s"
    outcome = _trial(tmp_path, "protocol: C, verify: false", fault, recovery=15)
    (record,) = outcome.record.faults
    assert record.ended_verified and record.nodes == ["node2"], record
    sql = "SELECT sum(writes_ok) FROM rows WHERE source = 'load' AND slot_ms BETWEEN"
    slow = outcome.rows("timeline", f"{sql} {record.at + 500} AND {record.at + 5500}")[0][0]
    before = outcome.rows("timeline", f"{sql} {record.at - 2500} AND {record.at - 500}")[0][0]
    # Five seconds instead of two: each commit waits for a flush of 300 ms at least.
    assert int(str(slow)) < int(str(before))


@pytest.mark.long
def test_without_the_replication_link_the_primary_continues_alone(tmp_path: Path) -> None:
    cut = "fault: partition, target: primary, peers: nodes, ports: [7788], duration: 6s"
    outcome = _trial(tmp_path, "protocol: C", cut)
    assert outcome.measures().split_brains == []
    assert "promoted" not in outcome.kinds()
    assert outcome.writes_after_fault() > 0
    check, compared = outcome.record.check, outcome.record.divergence
    assert check is not None and [node.lost for node in check.nodes] == [0]
    assert compared is not None and compared.tables == 1 and not compared.differences, compared


@pytest.mark.long
def test_without_the_cluster_link_alone_no_second_primary_is_promoted(tmp_path: Path) -> None:
    # Corosync's port is blocked; DRBD still reaches the primary, and refuses a second one.
    cut = "fault: partition, target: primary, peers: nodes, ports: [5405], duration: 12s"
    outcome = _trial(tmp_path, "protocol: C", cut)
    assert outcome.measures().split_brains == []
    assert outcome.writes_after_fault() > 0


@pytest.mark.long
def test_two_isolated_nodes_are_both_primary_and_that_is_reported(tmp_path: Path) -> None:
    outcome = _trial(tmp_path, "verify: false", _CUT)
    split, *_ = outcome.measures().split_brains
    assert set(split.overlap.nodes) == {"node1", "node2"}


@pytest.mark.long
def test_fencing_switches_off_one_of_two_isolated_nodes_and_nothing_is_lost(tmp_path: Path) -> None:
    outcome = _trial(tmp_path, _FENCED, _CUT, recovery=30)
    assert outcome.measures().split_brains == []
    assert outcome.writes_after_fault() > 0
    check = outcome.record.check
    assert check is not None and check.acknowledged > 0
    assert sum(node.lost for node in check.nodes) == 0


@pytest.mark.long
def test_with_a_witness_an_isolated_node_stops(tmp_path: Path) -> None:
    cut = "fault: partition, target: primary, peers: all, duration: 12s"
    outcome = _trial(tmp_path, "witness: true, verify: false", cut, recovery=30)
    assert outcome.measures().split_brains == []
    promoted = [event.node for event in outcome.record.events if event.kind == "promoted"]
    assert promoted[:1] == ["node2"]
    assert outcome.writes_after_fault() > 0
