"""Rolling restarts on real servers: each is restarted once, the primary last, and nothing is lost."""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_support import HEAD, LIMIT, OPERATOR, PATIENCE, Outcome, run_trial, sound, timing

from fivenines.experiment.source import fault_from, solution_from
from fivenines.load.workloads.oltp import Oltp
from fivenines.results.records import Event, FaultRecord
from fivenines.software.engines.ndb_archive import ARCHIVES, NdbArchive
from fivenines.trial.deployment.deployed import Deployed, data_set
from fivenines.trial.faults.timeline import FaultRunner
from fivenines.trial.manual import state
from fivenines.trial.manual.background import BackgroundLoad

WORKLOAD = Oltp(workload="oltp_read_write", tables=2, table_size=500)

LIGHT = "load: {rate: 20}\n"

FAULT = "maintenance, then recovery"

# Seconds within which a rolling restart must complete, however busy the machine is.
_LONGEST = 400.0 * PATIENCE


def _pids(deployed: Deployed) -> Iterator[tuple[str, int]]:
    for member in deployed.solution.members:
        assert member.process is not None and member.alive, member.name
        yield member.name, member.process.popen.pid


def _of(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event.kind == kind]


def _all_restarted(
    record: FaultRecord, events: list[Event], before: dict[str, int], after: dict[str, int]
) -> None:
    assert record.verified, record.detail
    assert record.ended_verified and record.rejoined, (record.ended_detail, record.rejoin_detail)
    assert record.ended_detail == f"{len(before)} of {len(before)} servers restarted"
    assert sorted(record.nodes) == sorted(before)
    assert [name for name in before if before[name] == after[name]] == []
    # Automatic remediation also restarts a server that does not follow a new primary in time, with a reason.
    restarted = [event for event in _of(events, "restarted") if not event.detail]
    for group in (_of(events, "maintenance"), restarted):
        assert [event.node for event in group] == record.nodes, group
    back = dict.fromkeys(event.node for event in _of(events, "rejoined"))
    assert list(back) == record.nodes


def _await_writes(load: BackgroundLoad, since_ns: int) -> None:
    """Wait for a recorded write that succeeded after now."""
    passed, until = (time.monotonic_ns() - since_ns) / 1e9, time.monotonic() + LIMIT
    while time.monotonic() < until:
        seen = load.since(since_ns, check=False)
        if seen.back and seen.observed > passed:
            return
        time.sleep(0.2)


@pytest.fixture
def rolled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, Any]], tuple[FaultRecord, list[Event]]]:
    """Run a trial that restarts all servers of a solution under a load of the same duration."""
    monkeypatch.setattr(state, "load", lambda: tmp_path / "load")

    def roll(solution: dict[str, Any]) -> tuple[FaultRecord, list[Event]]:
        settings = solution_from(solution, "test")
        data = data_set(settings, WORKLOAD, lambda _message, _fraction: None)
        with Deployed(settings, data, tmp_path / "lab") as deployed:
            deployed.bring_up()
            load = BackgroundLoad(deployed, WORKLOAD, 20)
            time.sleep(2)
            before, now = dict(_pids(deployed)), time.monotonic_ns()
            load.broken(now)
            fault = fault_from({"fault": "maintenance", "pause": "0s", "down": "500ms"}, "test")
            made = FaultRunner(fault, deployed, now, math.inf, patience=120.0 * PATIENCE)
            made.begin()
            while not made.over and time.monotonic_ns() - now < _LONGEST * 1e9:
                time.sleep(0.2)
            made.dismiss()
            (record,), events = made.records(), made.events()
            _all_restarted(record, events, before, dict(_pids(deployed)))
            _await_writes(load, now)
            clients = load.since(now, check=True)
            assert clients.back and clients.rows is not None, clients
            assert (clients.rows.lost, clients.rows.acknowledged > 0) == (0, True), clients.rows
            load.stop()
        return record, events

    return roll


# Another solution covers the order of the restarts.
@pytest.mark.long
def test_mariadb_replicas_first_and_the_primary_after_a_switchover(rolled: Any) -> None:
    manager = {"kind": "operator", "interval": "500ms", "misses": 4}
    record, events = rolled({"solution": "replication", "mode": "after_sync", "manager": manager})
    assert record.nodes == ["node2", "node3", "node1"]
    (over,), (promoted,) = _of(events, "handed over"), _of(events, "promoted")
    assert over.detail == f"by the failover manager: node1 to {promoted.node}"


@pytest.mark.long
def test_galera_drains_each_node_at_its_proxy(rolled: Any) -> None:
    record, events = rolled({"solution": "galera", "access": {"kind": "haproxy", "interval": "300ms"}})
    assert record.nodes == ["node2", "node3", "node1"]
    (over,) = _of(events, "handed over")
    assert over.detail == "node1 in maintenance at HAProxy, its sessions ended"


@pytest.mark.long
def test_a_group_elects_another_primary(rolled: Any) -> None:
    record, events = rolled({"solution": "group-replication"})
    assert record.nodes == ["node2", "node3", "node1"]
    (over,) = _of(events, "handed over")
    assert over.detail == "group_replication_set_as_primary: node1 to node2"


@pytest.mark.skipif(
    not NdbArchive().fetched,
    reason=f"no archive of NDB Cluster: `fivenines engines add FILE`, or a folder in {ARCHIVES}",
)
@pytest.mark.long
def test_ndb_by_its_kinds_of_servers(rolled: Any) -> None:
    record, events = rolled({"solution": "ndb"})
    assert record.nodes == ["management1", "data1", "data2", "node2", "node1"]
    (over,) = _of(events, "handed over")
    assert over.detail == "node1 is read-only"


def _trial(
    folder: Path, solution: str, phases: str, actions: dict[str, Callable[[Deployed], None]]
) -> Outcome:
    text = f"solutions: [{solution}]\nfaults: [{{fault: maintenance, pause: 0s}}]\n{LIGHT}{phases}"
    return run_trial(folder, text, actions, HEAD.replace("[4]", "[2]"))


@pytest.mark.lasts(55)
def test_a_trial_has_one_fault_with_a_turn_for_each_server(tmp_path: Path) -> None:
    before: dict[str, int] = {}
    after: dict[str, int] = {}
    access = "access: {kind: haproxy, interval: 300ms}, reads: replicas"
    outcome = _trial(
        tmp_path,
        f"{{solution: hot-standby, {access}, manager: {OPERATOR}}}",
        timing(),
        {
            FAULT: lambda deployed: before.update(_pids(deployed)),
            "checking": lambda deployed: after.update(_pids(deployed)),
        },
    )
    sound(outcome)
    assert outcome.record.fault is not None
    _all_restarted(outcome.record.fault, outcome.record.events, before, after)
    assert outcome.record.fault.nodes == ["node2", "node1"]
    check = outcome.record.check
    assert check is not None
    assert [node for node in check.nodes if node.lost or not node.reachable] == []
    measured = outcome.measures()
    (fault,) = measured.faults
    assert [turn.node for turn in fault.fault_window.turns] == ["node2", "node1"]
    writes = fault.availability.writes
    # If the load stalled before, a switchover cannot be distinguished from that stall.
    if writes is not None and writes.steady_ms < 200:
        assert "maintenance of node1" in {
            interruption.event for interruption in measured.interruptions.writes
        }
    assert measured.split_brains == []


@pytest.mark.long
def test_without_a_candidate_the_failure_is_an_outage(tmp_path: Path) -> None:
    outcome = _trial(tmp_path, "{solution: standalone}", timing(), {})
    sound(outcome)
    record = outcome.record
    assert record.fault is not None and record.fault.ended_verified and record.fault.rejoined
    assert _of(record.events, "handed over") == []
    measured = outcome.measures().availability
    assert measured is not None and measured.writes is not None
    assert measured.writes.ms >= 1000, "it was down for a second"


def test_a_rolling_restart_stops_at_a_server_that_does_not_recover(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        # The running server does not read the setting; the next start fails.
        for file in (deployed.lab.hosts["node2"].node / "conf").iterdir():
            file.write_text(f"{file.read_text()}\nno_such_option = 1\n")

    solution = f"{{solution: replication, manager: {OPERATOR}}}"
    outcome = _trial(tmp_path, solution, timing(8 * PATIENCE, settle=6), {FAULT: plant})
    record = outcome.record.fault
    assert record is not None and record.verified
    assert (record.nodes, record.rejoined, record.ended_verified) == (["node2"], False, False)
    assert "node2 did not recover: stopped after 1 of 3 servers" in record.ended_detail
    assert "node1, node3 not restarted" in record.ended_detail
    assert "no_such_option" in record.rejoin_detail
    assert [event.node for event in _of(outcome.record.events, "stopped")] == ["node2"]
    assert outcome.node("node1").lost == outcome.node("node3").lost == 0
