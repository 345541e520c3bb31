"""A replicated disk under Pacemaker, on virtual machines: it moves with the server, both disks alike."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_support import run_trial, timing

from fivenines.deployment.deployed import Deployed, engines_of
from fivenines.solutions.drbd import Drbd
from fivenines.solutions.drbd_settings import DrbdSettings
from fivenines.waiting import wait_until
from fivenines.workloads.oltp import Oltp

WORKLOAD = Oltp(workload="oltp_read_write", tables=2, table_size=500)


def _quiet(_message: str, _fraction: float | None) -> None:
    return


@pytest.fixture
def deployed(tmp_path: Path) -> Iterator[Deployed]:
    # small, as all of it is compared twice
    settings = DrbdSettings(solution="drbd", disk=200 * 2**20)
    for engine in engines_of(settings):
        engine.require(_quiet)
    with Deployed(settings, Drbd.data_for(settings, WORKLOAD, _quiet), tmp_path / "lab") as made:
        made.bring_up()
        yield made


def test_the_disk_is_shared_moves_at_a_switchover_and_a_planted_difference_is_found(
    deployed: Deployed,
) -> None:
    drbd = deployed.solution
    assert isinstance(drbd, Drbd) and deployed.manager is not None
    first, other = drbd.nodes
    assert drbd.roles() == {"node1": "primary", "node2": "replica"}
    assert [drbd.not_joined_reason(node) for node in drbd.nodes] == ["", ""]
    assert drbd.serving == [first]
    first.execute(
        "CREATE TABLE sbtest.here (id INT PRIMARY KEY)", "INSERT INTO sbtest.here VALUES (7)"
    )
    same = drbd.compare_copies({})
    assert (same.compared, same.tables, same.differences) == (["node1", "node2"], 1, []), same
    assert deployed.manager.switch_over() == "node2"
    assert other.query("SELECT id FROM sbtest.here") == [(7,)]
    wait_until(lambda: drbd.not_joined_reason(first), 60.0, "the first node did not come back")
    assert drbd.roles() == {"node1": "replica", "node2": "primary"}
    # below DRBD, in a block that the file system has not used
    plant = "dd if=/dev/urandom of=/dev/ubda bs=4096 count=1 seek=$(( $(cat /sys/block/ubda/size) / 16 ))"
    first.host.run(["sh", "-c", f"{plant} conv=fsync"])
    differs = drbd.compare_copies({})
    assert differs.reference == "node2"
    (disk,) = differs.differences
    assert (disk.table, disk.differing) == ("the disk", 1)
    assert disk.checksums == {"node1": "blocks of 4096 bytes that the other has otherwise: 1"}


@pytest.mark.long
def test_protocol_c_loses_nothing_with_the_power(tmp_path: Path) -> None:
    text = """
solutions: [{solution: drbd}]
load: {answer_timeout: 2s, connect_timeout: 1s}
faults: [{fault: power-loss, restart_after: 18s}]
"""
    outcome = run_trial(tmp_path, text + timing(25, steady=3, settle=60))
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
    # until the power is gone, and alone
    assert {("node1", "Connected"), ("node2", "Connected")} <= set(rows)
    assert any(node == "node2" and state != "Connected" for node, state in rows)


@pytest.mark.long
def test_protocol_a_loses_what_was_on_its_way(tmp_path: Path) -> None:
    text = """
solutions: [{solution: drbd, protocol: A}]
load: {answer_timeout: 2s, connect_timeout: 1s}
network: {sites: {a: [node1, client], b: [node2]}, link: {rtt: 20ms, bandwidth: 4Mbit/s}}
faults: [{fault: power-loss, restart_after: null}]
"""
    outcome = run_trial(tmp_path, text + timing(30, steady=3, settle=5))
    check = outcome.record.check
    assert check is not None
    assert sum(node.lost for node in check.nodes) > 0
