"""Power loss on real servers: a server that waits for the disk loses no acknowledged row."""

from pathlib import Path

import pytest
from lab_support import Outcome, run_trial, timing

from fivenines.results.records import FaultRecord

_MARIADB_LAZY = "durability: relaxed, server: {innodb_flush_log_at_trx_commit: 0, sync_binlog: 0}"
_SOLUTIONS = {
    "postgres strict": "{solution: standalone, machines: virtual-machines}",
    "postgres lazy": "{solution: standalone, machines: virtual-machines, server: {fsync: false}}",
    "mariadb strict": "{solution: standalone, engine: mariadb-10.11, machines: virtual-machines}",
    "mariadb lazy": "{solution: standalone, engine: mariadb-10.11, machines: virtual-machines, "
    f"{_MARIADB_LAZY}}}",
    "mysql strict": "{solution: standalone, engine: mysql-9.7, machines: virtual-machines}",
}


def _run(folder: Path, solution: str, fault: str) -> Outcome:
    text = f"""
solutions: [{_SOLUTIONS[solution]}]
# a server without power says no goodbye
load: {{think_time: 100ms, answer_timeout: 2s}}
faults: [{{fault: {fault}, restart_after: 500ms}}]
"""
    return run_trial(folder, text + timing(steady=3))


def _fault(outcome: Outcome) -> FaultRecord:
    (fault,) = outcome.record.faults
    assert fault.verified and fault.ended_verified and fault.rejoined, fault
    return fault


@pytest.mark.parametrize("solution", ["postgres lazy", pytest.param("mariadb lazy", marks=pytest.mark.long)])
def test_a_server_that_does_not_wait_for_the_disk_loses_rows_with_the_power(
    tmp_path: Path, solution: str
) -> None:
    outcome = _run(tmp_path, solution, "power-loss")
    assert _fault(outcome).detail == "switched off 1 virtual machines"
    node = outcome.node("node1")
    assert node.reachable and node.lost > 0, "acknowledged, and only in the memory of the kernel"


@pytest.mark.parametrize(
    "solution",
    [
        "mariadb strict",
        *(pytest.param(f"{name} strict", marks=pytest.mark.long) for name in ("postgres", "mysql")),
    ],
)
def test_a_server_that_waits_for_the_disk_loses_nothing(tmp_path: Path, solution: str) -> None:
    outcome = _run(tmp_path, solution, "power-loss")
    _fault(outcome)
    assert outcome.node("node1").lost == 0 and outcome.node("node1").phantom == 0
    assert outcome.record.check is not None and outcome.record.check.acknowledged > 0


@pytest.mark.long
def test_a_host_kill_loses_nothing_either_way(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "postgres lazy", "host-kill")
    _fault(outcome)
    assert outcome.node("node1").lost == 0, "the kernel lives, and writes what it was given"
