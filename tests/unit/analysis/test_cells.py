"""Cells of synthetic runs: what was put in comes out."""

from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import QUICKSTART, write_run

from fivenines.analysis.cells import CellResult, analyse
from fivenines.results.store import Run, open_run, table_path


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return open_run(write_run(tmp_path_factory.mktemp("runs") / "quick", QUICKSTART))


def by_solution(run: Run) -> dict[str, CellResult]:
    return {cell.key.solution: cell for cell in analyse(run)}


def test_means_are_those_of_the_recipe(quick: Run) -> None:
    cell = by_solution(quick)["1-safe (local)"]
    assert (cell.planned, cell.complete, cell.broken) == (3, 3, 0)
    assert cell.tps.mean == pytest.approx(1450, rel=0.1)
    assert cell.writes.summary.mean == pytest.approx(4100, rel=0.1)
    assert cell.failover.summary.mean == pytest.approx(4100, rel=0.1)
    assert [point.noticed for point in cell.writes.points] == [True] * 3
    assert cell.latency["p50"].n == 3
    assert cell.deployment.mean == pytest.approx(2.1, rel=0.2)


def test_loss_and_its_bound(quick: Run) -> None:
    cells = by_solution(quick)
    lossy, safe = cells["1-safe (local)"].loss, cells["2-safe (on)"].loss
    assert lossy.total >= lossy.largest > 0
    assert lossy.upper_bound is None
    assert (safe.total, safe.checked, safe.trials_with_loss) == (0, 3, 0)
    assert safe.upper_bound == pytest.approx(0.632, abs=1e-3)
    assert cells["2-safe (on)"].in_doubt == 15


def test_errors_add_up_by_class(quick: Run) -> None:
    errors = by_solution(quick)["2-safe (on)"].errors
    assert [(error.source, error.kind, error.count) for error in errors] == [
        ("ledger", "refused", 360),
        ("load", "connection_lost", 24),
    ]


def test_without_fault_there_is_no_outage(tmp_path: Path) -> None:
    matrix = replace(QUICKSTART, faults=["none"])
    cell = analyse(open_run(write_run(tmp_path / "run", matrix)))[0]
    assert not cell.faulted
    assert (cell.writes.points, cell.failover.summary.n) == ([], 0)
    assert cell.tps.n == 3


def test_a_damaged_table_becomes_a_note_of_its_trial_alone(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", QUICKSTART))
    first, second, *_ = run.complete
    table_path(first.folder, "timeline").write_bytes(b"no parquet")
    table_path(second.folder, "timeline").unlink()
    (second.folder / "latency.hlog").unlink()
    trials = {t.record.id: t for cell in analyse(run) for t in cell.trials}
    assert "timeline.parquet cannot be read" in trials[first.record.id].notes[0]
    assert "no time line was recorded" in trials[second.record.id].notes[0]
    assert trials[second.record.id].latency is None
    assert trials[first.record.id].throughput is None
    good = [trial for trial in trials.values() if not trial.notes]
    assert len(good) == 4
    assert all(trial.throughput for trial in good)
