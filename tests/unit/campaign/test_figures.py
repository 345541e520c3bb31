"""The figures in the line of a finished trial are those of the report."""

from pathlib import Path

import pytest
from cli_support import record
from synthetic_run import MARIADB, Matrix, Recipe, write_run

from fivenines.analysis.trials import measure_all
from fivenines.campaign import figures
from fivenines.campaign.figures import figures_of
from fivenines.results.load_summary import LoadSummary
from fivenines.results.store import StoredTrial, open_run
from fivenines.trial.progress import Figures


def test_they_are_those_of_the_report(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", MARIADB))
    broken = next(item for item in run.complete if item.record.faults)
    (measured,) = measure_all([broken])
    figures = figures_of(run.folder, broken.record)
    assert measured.availability is not None and measured.availability.writes is not None
    assert measured.throughput is not None
    outage = measured.availability.writes
    assert figures == Figures(measured.throughput.tps, outage.ms, outage.back, measured.lost)
    assert outage.ms > 0


def test_transactions_that_failed_though_nothing_was_broken_are_told(tmp_path: Path) -> None:
    matrix = Matrix([Recipe("a")], faults=["none", "kill"])
    run = open_run(write_run(tmp_path / "run", matrix))
    ended = {"transactions": {"ok": 2000, "failed": 30, "in_doubt": 0}}

    def failed(trial: StoredTrial) -> int:
        load = LoadSummary.of({**trial.record.load.document, **ended})
        return figures_of(run.folder, trial.record.model_copy(update={"load": load})).failed

    assert {failed(item) for item in run.complete if not item.record.faults} == {30}
    assert {failed(item) for item in run.complete if item.record.faults} == {0}


def test_a_trial_without_tables_has_none(tmp_path: Path) -> None:
    assert figures_of(tmp_path, record("0001")) == Figures()


def test_the_next_trial_does_not_wait_for_a_huge_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = open_run(write_run(tmp_path / "run", MARIADB))
    monkeypatch.setattr(figures, "LARGEST", 10)
    assert figures_of(run.folder, run.complete[0].record) == Figures()
