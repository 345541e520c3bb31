"""Rolling restarts on real servers: each is restarted once, the primary last, and nothing is lost.

A trial's load must outlast the restart of all servers, also on a busy machine, so the load is light.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_support import HEAD, OPERATOR, Outcome, run_trial, sound, timing

from fivenines.deployment.deployed import Deployed
from fivenines.results.records import Event
from fivenines.software.ndb_archive import ARCHIVES, NdbArchive

LOAD = "load: {rate: 20}\n"

FAULT = "maintenance, then recovery"


class Pids:
    """The processes of all servers before and after."""

    def __init__(self) -> None:
        self.before: dict[str, int] = {}
        self.after: dict[str, int] = {}

    def actions(self) -> dict[str, Any]:
        return {
            FAULT: lambda deployed: self.before.update(_pids(deployed)),
            "checking": lambda deployed: self.after.update(_pids(deployed)),
        }


def _pids(deployed: Deployed) -> Iterator[tuple[str, int]]:
    for one in deployed.solution.members:
        assert one.process is not None and one.alive, one.name
        yield one.name, one.process.popen.pid


def _rolled(folder: Path, solution: str, recovery: float, fault: str = "") -> Outcome:
    """A trial with the fault; all that must be true of it whatever the solution."""
    pids = Pids()
    text = (
        f"solutions: [{solution}]\nfaults: [{{fault: maintenance, pause: 0s{fault}}}]\n{LOAD}"
        + timing(recovery, settle=60)
    )
    outcome = run_trial(folder, text, pids.actions(), HEAD.replace("[4]", "[2]"))
    sound(outcome)
    record = outcome.record.fault
    assert record is not None
    assert record.ended_verified and record.rejoined, (record.ended_detail, record.rejoin_detail)
    count = len(pids.before)
    assert record.ended_detail == f"{count} of {count} servers had their turn"
    assert sorted(record.nodes) == sorted(pids.before)
    assert all(pids.before[name] != pids.after[name] for name in pids.before)
    for kind in ("maintenance", "rejoined"):
        assert [event.node for event in _of(outcome, kind)] == record.nodes, kind
    check = outcome.record.check
    assert check is not None
    assert [node for node in check.nodes if node.lost or not node.reachable] == []
    assert len(outcome.measures().faults) == 1
    return outcome


def _of(outcome: Outcome, kind: str) -> list[Event]:
    return [event for event in outcome.record.events if event.kind == kind]


def _primary_last(outcome: Outcome, told: str) -> None:
    record = outcome.record.fault
    assert record is not None and record.nodes == ["node2", "node3", "node1"]
    (over,) = _of(outcome, "handed over")
    assert over.node == "node1" and told in over.detail
    assert outcome.measures().split_brains == []


def test_mariadb_replicas_first_and_the_primary_after_a_switchover(tmp_path: Path) -> None:
    solution = f"{{solution: replication, mode: after_sync, manager: {OPERATOR}}}"
    outcome = _rolled(tmp_path, solution, 40)
    _primary_last(outcome, "by the failover manager: node1 to node")
    (promoted,) = _of(outcome, "promoted")
    assert promoted.node != "node1"
    turns = outcome.measures().faults[0].blow.turns
    assert [turn.node for turn in turns] == ["node2", "node3", "node1"]


def test_postgres_through_a_proxy(tmp_path: Path) -> None:
    access = "access: {kind: haproxy, interval: 300ms}, reads: replicas"
    solution = f"{{solution: hot-standby, standbys: 2, {access}, manager: {OPERATOR}}}"
    _primary_last(_rolled(tmp_path, solution, 40), "by the failover manager: node1 to node")


def test_galera_drains_each_node_at_its_proxy(tmp_path: Path) -> None:
    access = "access: {kind: haproxy, interval: 300ms}"
    solution = f"{{solution: galera, suspect_timeout: 2s, inactive_timeout: 5s, {access}}}"
    _primary_last(_rolled(tmp_path, solution, 60), "node1 in maintenance at HAProxy")


def test_a_group_elects_another_primary(tmp_path: Path) -> None:
    outcome = _rolled(tmp_path, "{solution: group-replication}", 70)
    _primary_last(outcome, "group_replication_set_as_primary: node1 to node")


def test_without_a_switchover_somebody_else_fails_over_or_nobody_does(tmp_path: Path) -> None:
    outcome = _rolled(tmp_path, "{solution: standalone}", 10, ", switchover: true")
    assert _of(outcome, "handed over") == []
    measured = outcome.measures().availability
    assert measured is not None and measured.writes is not None
    assert measured.writes.ms >= 1000, "it was down for a second, and there is nobody else"


@pytest.mark.skipif(
    not NdbArchive().fetched,
    reason=f"no archive of NDB Cluster: `fivenines engines add FILE`, or a folder in {ARCHIVES}",
)
def test_ndb_by_its_kinds_of_servers(tmp_path: Path) -> None:
    outcome = _rolled(tmp_path, "{solution: ndb, heartbeat: 1500ms}", 150)
    record = outcome.record.fault
    assert record is not None
    assert record.nodes == ["management1", "data1", "data2", "node2", "node1"]
    (over,) = _of(outcome, "handed over")
    assert (over.node, over.detail) == ("node1", "node1 is read-only")


def test_it_stops_at_a_server_that_does_not_come_back(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        # the running server does not read it; the next start fails
        for file in (deployed.world.hosts["node2"].node / "conf").iterdir():
            file.write_text(f"{file.read_text()}\nno_such_option = 1\n")

    text = (
        f"solutions: [{{solution: replication, manager: {OPERATOR}}}]\n"
        f"faults: [{{fault: maintenance, pause: 0s}}]\n{LOAD}" + timing(8, settle=6)
    )
    outcome = run_trial(tmp_path, text, {FAULT: plant})
    record = outcome.record.fault
    assert record is not None and record.verified
    assert (record.nodes, record.rejoined, record.ended_verified) == (["node2"], False, False)
    assert "node2 did not come back: stopped after 1 of 3 servers" in record.ended_detail
    assert "node1, node3 had no turn" in record.ended_detail
    assert "no_such_option" in record.rejoin_detail
    assert [event.node for event in _of(outcome, "stopped")] == ["node2"]
    assert outcome.node("node1").lost == outcome.node("node3").lost == 0
