"""What a report says of the machines that trials ran on."""

from dataclasses import replace
from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.trials import TrialMeasures
from fivenines.report import workers
from fivenines.results.records import WorkerRecord
from fivenines.results.store import open_run

FACTORS = {"one": 1.0, "slow": 0.6}


def _cells(folder: Path, machines: dict[str, list[str]], beside: int = 0) -> list[CellResult]:
    """Two solutions, whose trials ran on these machines in their order."""
    recipes = [Recipe("a", tps=1000), Recipe("b", tps=2000)]
    matrix = Matrix(recipes, faults=["none"], trials=len(machines["a"]))
    found = analyse(open_run(write_run(folder / "run", matrix)))
    return [
        replace(
            cell,
            trials=[
                _moved(trial, machine, beside)
                for trial, machine in zip(cell.trials, machines[cell.key.solution], strict=True)
            ],
        )
        for cell in found
    ]


def _moved(trial: TrialMeasures, machine: str, beside: int) -> TrialMeasures:
    worker = WorkerRecord(name=machine, host=machine, cores=[0, 1], beside=beside)
    speed = trial.throughput
    assert speed is not None
    return replace(
        trial,
        record=trial.record.model_copy(update={"worker": worker}),
        throughput=replace(speed, tps=speed.tps * FACTORS[machine]),
    )


def test_machines_that_differ_are_told_with_how_much(tmp_path: Path) -> None:
    turns = ["one", "slow"] * 3
    cells = _cells(tmp_path, {"a": turns, "b": turns})
    (text,) = workers.cautions(cells)
    assert text.startswith("The machines differ in throughput: one 1")
    assert "each is a block" in text
    table = workers.table(cells)
    assert [(row[0], row[4]) for row in table.rows] == [("one", "6"), ("slow", "6")]
    assert table.rows[1][5].startswith("7")


def test_cells_that_are_spread_unlike_are_told(tmp_path: Path) -> None:
    turns = {"a": ["one", "slow"] * 2, "b": ["one", "one", "one", "slow"]}
    said = " ".join(workers.cautions(_cells(tmp_path, turns)))
    assert "as many trials on each machine" in said


def test_one_machine_is_no_source_of_variance(tmp_path: Path) -> None:
    turns = ["one"] * 4
    assert workers.cautions(_cells(tmp_path, {"a": turns, "b": turns})) == []
    (text,) = workers.cautions(_cells(tmp_path / "beside", {"a": turns, "b": turns}, beside=1))
    assert text.startswith("2 trials ran side by side, each on 2 processors")
