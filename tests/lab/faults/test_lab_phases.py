"""Phases of failovers on real servers: the deciding node, the new primary, the load's recovery."""

from pathlib import Path

import pytest
from lab_support import HEAD, OPERATOR, run_one, timing

from fivenines.analysis.availability.failovers import FaultMeasures
from fivenines.analysis.cells import CellResult, analyse
from fivenines.results.store import query

KILL = "faults: [{fault: kill, restart_after: 2s}]\n"


def measured(folder: Path, text: str) -> tuple[CellResult, FaultMeasures]:
    """Return the cell of an experiment of one trial, and its only fault."""
    run = run_one(folder, HEAD + text, {})
    (cell,) = analyse(run)
    (trial,) = cell.trials
    (fault,) = trial.faults
    assert trial.notes == []
    assert fault.failover.interrupted
    assert fault.failover.returned
    assert fault.failover.return_ms == pytest.approx(
        sum(phase.ms for phase in fault.failover.phases if phase.name != "catch up")
    )
    assert len(query(run.complete, "nodes", "SELECT state FROM rows")["state"]) > 1
    return cell, fault


def names(fault: FaultMeasures) -> list[str]:
    return [phase.name for phase in fault.failover.phases]


def test_a_hot_standby_goes_through_all_phases(tmp_path: Path) -> None:
    # It decides late: an outage that is hardly longer than a stall of a busy machine has no phases.
    manager = "{kind: operator, interval: 500ms, misses: 8, timeout: 3s}"
    solution = f"solutions: [{{solution: hot-standby, standbys: 2, manager: {manager}}}]\n"
    cell, fault = measured(tmp_path, solution + KILL + timing(steady=3))
    assert names(fault)[:4] == ["detect", "promote", "route", "reconnect"]
    (trial,) = cell.trials
    decided = next(event.t for event in trial.record.events if event.kind == "decided")
    promoted = next(event.t for event in trial.record.events if event.kind == "promoted")
    detect, promote = fault.failover.phases[:2]
    assert detect.end == decided
    assert decided < promote.end
    assert decided < promoted
    assert trial.availability is not None
    assert trial.availability.failover_ms is not None
    # A new connection or the ledger may be served a moment before the load.
    routed = fault.failover.phases[2].end - fault.fault_window.at
    assert 0 < routed <= trial.availability.failover_ms + 11


# Unit tests cover phases without a new primary.
@pytest.mark.long
def test_the_end_of_a_standalone_server_has_no_detection_phase(tmp_path: Path) -> None:
    solution = "solutions: [{solution: standalone, engine: postgres-18}]\n"
    _, fault = measured(tmp_path, solution + KILL + timing())
    assert names(fault)[0] == "promote"
    assert "detect" not in names(fault)
    restarted = fault.fault_window.faults[0].restarted
    assert restarted is not None
    assert fault.failover.phases[0].end > restarted


# Other tests cover a fault at a Galera node.
@pytest.mark.long
def test_a_galera_cluster_decides_by_a_new_view(tmp_path: Path) -> None:
    solution = "solutions: [{solution: galera, suspect_timeout: 2s, inactive_timeout: 5s}]\n"
    # A node that rejoins while the others still agree on its failure delays their decision.
    faults = "faults: [{fault: kill, target: primary, restart_after: 10s}]\n"
    cell, fault = measured(tmp_path, solution + faults + timing())
    assert names(fault)[0] == "detect"
    assert names(fault)[-2] == "reconnect" or names(fault)[-1] == "reconnect"
    (trial,) = cell.trials
    assert [event.kind for event in trial.record.events if event.kind == "decided"] == []
    assert fault.failover.phases[0].ms > 0


def test_a_dead_standby_interrupts_no_writes(tmp_path: Path) -> None:
    settings = f"solution: hot-standby, synchronous_commit: local, standbys: 2, manager: {OPERATOR}"
    solution = f"solutions: [{{{settings}}}]\n"
    faults = "faults: [{fault: kill, target: replica, restart_after: 2s}]\n"
    run = run_one(tmp_path, HEAD + solution + faults + timing(), {})
    (cell,) = analyse(run)
    (result,) = cell.faults
    assert result.not_recovered == 0
    assert set(names(cell.trials[0].faults[0])) <= {"catch up", "promote", "route", "reconnect"}
    assert not result.phase("detect").seen
