"""Sweeps of whole runs: one best case in the place of all variants, from half of its trials."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import SWEPT, Matrix, Recipe, variants, write_run

from fivenines.analysis.cells import analyse
from fivenines.analysis.performance.sweeps import compared, words_of
from fivenines.results.store import Run, open_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("swept") / "run", SWEPT)


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return open_run(folder)


def test_the_best_case_stands_in_the_place_of_all_variants(run: Run) -> None:
    result = compared(run)
    shown = [(cell.key.solution, cell.key.connections) for cell in result.cells]
    assert shown == [("gr (best of 3)", 1), ("gr (best of 3)", 8), ("alone", 1), ("alone", 8)]
    assert [cell.called for cell in result.cells[1:3]] == ["gr (best of 3: spin=1000)", "alone"]
    (sweep,) = result.sweeps
    choices = [unit.choice for unit in sweep.units]
    assert [choice and choice.best.name for choice in choices] == ["gr [spin=1000]"] * 2
    assert [choice and choice.verdict for choice in choices] == ["ahead"] * 2
    assert len(result.variants) == 6


def test_its_figures_are_those_of_the_reporting_half(run: Run) -> None:
    best = compared(run).cells[0]
    assert sorted(trial.record.number for trial in best.trials) == [2, 4]
    assert (best.planned, best.complete, best.tps.n, best.writes.summary.n) == (2, 2, 2, 2)
    every = next(cell for cell in analyse(run) if cell.key.solution == "gr [spin=1000]")
    own = [t.throughput.tps for t in every.trials if t.throughput and t.record.number % 2 == 0]
    assert best.tps.mean == pytest.approx(sum(own) / 2)


def test_faults_share_a_choice_and_all_conditions_may(tmp_path: Path) -> None:
    recipes = {0: Recipe("", tps=800, outage=2000), 9: Recipe("", tps=1400, outage=6000)}
    matrix = Matrix(variants("gr", recipes), faults=["none", "kill"], trials=2, connections=[1, 8])
    result = compared(open_run(write_run(tmp_path / "fast", matrix)))
    assert {cell.best and cell.best.variant for cell in result.cells} == {"gr [spin=9]"}
    assert len(result.cells) == 4 and len(result.sweeps[0].units) == 2
    choice = result.sweeps[0].units[0].choice
    assert choice is not None and choice.best.choosing.n == 2  # a trial of each of two faults

    options = {"by": "outage_writes", "best_for": "all"}
    matrix = replace(matrix, recipes=variants("gr", recipes, **options))
    result = compared(open_run(write_run(tmp_path / "short", matrix)))
    (unit,) = result.sweeps[0].units
    assert unit.key is None and unit.choice is not None and len(unit.choice.strata) == 2
    assert {cell.best and cell.best.variant for cell in result.cells} == {"gr [spin=0]"}
    assert [cell.key.fault for cell in result.cells] == ["none", "none", "kill", "kill"]


def test_failover_that_did_not_end_is_a_bound(tmp_path: Path) -> None:
    recipes = {0: Recipe("", outage=None), 9: Recipe("", outage=6000)}
    for by in ("failover", "outage_writes"):
        matrix = Matrix(variants("gr", recipes, by=by), trials=4)
        (unit,) = compared(open_run(write_run(tmp_path / by, matrix))).sweeps[0].units
        assert unit.choice is not None and unit.choice.best.name == "gr [spin=9]"
        # what was seen of the other is longer already: it is proven that it is worse
        assert unit.choice.verdict == "ahead" and unit.choice.candidates[1].choosing.bounds == 2


def test_a_run_that_has_just_begun(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(folder, copy)
    for trial in sorted((copy / "trials").iterdir()):
        shutil.rmtree(trial)
    result = compared(open_run(copy))
    best = result.cells[0]
    assert (best.key.solution, best.complete, best.planned) == ("gr (best of 3)", 0, 2)
    assert best.called == "gr (best of 3: none could be chosen)"
    assert result.sweeps[0].units[0].choice is None


def test_one_variant_alone_is_no_sweep(tmp_path: Path) -> None:
    matrix = Matrix(variants("gr", {0: Recipe("")}), trials=2)
    result = compared(open_run(write_run(tmp_path / "run", matrix)))
    assert result.sweeps == [] and [cell.key.solution for cell in result.cells] == ["gr [spin=0]"]


def test_settings_in_words() -> None:
    assert words_of({"server.a": 1, "b": "5s", "c": True}) == "a=1, b=5s, c=true"
    assert words_of({"access.interval": "1s", "manager.interval": "2s"}) == (
        "access.interval=1s, manager.interval=2s"
    )


def test_a_workload_has_one_best_case_over_all_connections(tmp_path: Path) -> None:
    recipes = {0: Recipe("", tps=800), 9: Recipe("", tps=2400)}
    matrix = Matrix(
        variants("gr", recipes, best_for="workload"),
        workloads=["oltp_read_only", "oltp_read_write"],
        connections=[1, 8, 32],
        trials=2,
    )
    result = compared(open_run(write_run(tmp_path / "run", matrix)))
    units = result.sweeps[0].units
    assert [unit.conditions for unit in units] == [
        {"workload": "oltp_read_only"},
        {"workload": "oltp_read_write"},
    ]
    assert all(unit.choice and len(unit.choice.strata) == 3 for unit in units)
    assert all(cell.key.workload == unit.workload for unit in units for cell in unit.cells)
    assert {cell.best and cell.best.variant for cell in result.cells} == {"gr [spin=9]"}
    assert len(result.cells) == 6


def test_workloads_may_choose_differently(tmp_path: Path) -> None:
    recipes = {0: Recipe("", tps=800), 9: Recipe("", tps=2400)}
    matrix = Matrix(
        variants("gr", recipes, best_for="workload"), workloads=["a", "b"], connections=[1, 8], trials=2
    )
    run = write_run(tmp_path / "run", matrix)
    # in workload b the figures of the two change places
    for path in sorted((run / "trials").iterdir()):
        record = json.loads((path / "trial.json").read_text())
        if record["cell"]["workload"] == "b":
            other = {"gr [spin=0]": "gr [spin=9]", "gr [spin=9]": "gr [spin=0]"}
            record["cell"]["solution"] = other[record["cell"]["solution"]]
            (path / "trial.json").write_text(json.dumps(record))
    result = compared(open_run(run))
    assert [unit.choice and unit.choice.best.name for unit in result.sweeps[0].units] == [
        "gr [spin=9]",
        "gr [spin=0]",
    ]
    assert {(cell.key.workload, cell.best and cell.best.variant) for cell in result.cells} == {
        ("a", "gr [spin=9]"),
        ("b", "gr [spin=0]"),
    }


def test_the_way_of_a_study_shows_the_trials_that_chose_and_says_so(tmp_path: Path) -> None:
    recipes = {value: Recipe("", tps=1000) for value in range(6)}
    matrix = Matrix(variants("gr", recipes, judged_on="same-trials"), trials=4)
    run = open_run(write_run(tmp_path / "run", matrix))
    result = compared(run)
    (best,) = result.cells
    assert best.best is not None and best.best.same_trials
    assert best.called.startswith("gr (best of 6 on the same trials: spin=")
    assert sorted(trial.record.number for trial in best.trials) == [1, 2, 3, 4]
    (unit,) = result.sweeps[0].units
    assert unit.choice is not None and unit.choice.optimism is None
    assert unit.choice.best.choosing == unit.choice.best.reporting
    # the best of six that are alike has the highest mean of all: that is what flatters it
    means = [cell.tps.mean or 0.0 for cell in analyse(run)]
    assert best.tps.mean == max(means) and (best.planned, best.complete) == (4, 4)


def test_any_measure_with_a_direction_may_choose(tmp_path: Path) -> None:
    recipes = {0: Recipe("", latency=9, tps=900), 9: Recipe("", latency=3, tps=900)}
    for by in ("latency_p50", "throughput"):
        matrix = Matrix(variants("gr", recipes, by=by), trials=2)
        (sweep,) = compared(open_run(write_run(tmp_path / by, matrix))).sweeps
        assert sweep.by.name == ("tps" if by == "throughput" else by)
    (unit,) = compared(open_run(tmp_path / "latency_p50")).sweeps[0].units
    assert unit.choice is not None and unit.choice.best.name == "gr [spin=9]"
