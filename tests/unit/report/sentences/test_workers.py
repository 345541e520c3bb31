"""The report on the machines that ran the trials."""

from dataclasses import replace
from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.trials import TrialMeasures
from fivenines.report.sentences import workers
from fivenines.results.records import WorkerRecord
from fivenines.results.store import open_run

FACTORS = {"one": 1.0, "slow": 0.6}


def _cells(folder: Path, machines: dict[str, list[str]], neighbours: int = 0) -> list[CellResult]:
    """Return cells of two solutions, whose trials ran on these machines in their order."""
    recipes = [Recipe("a", tps=1000), Recipe("b", tps=2000)]
    matrix = Matrix(recipes, faults=["none"], trials=len(machines["a"]))
    cells = analyse(open_run(write_run(folder / "run", matrix)))
    return [
        replace(
            cell,
            trials=[
                _moved(trial, machine, neighbours)
                for trial, machine in zip(cell.trials, machines[cell.key.solution], strict=True)
            ],
        )
        for cell in cells
    ]


def _moved(trial: TrialMeasures, machine: str, neighbours: int) -> TrialMeasures:
    worker = WorkerRecord(name=machine, host=machine, cores=[0, 1], neighbours=neighbours)
    speed = trial.throughput
    assert speed is not None
    return replace(
        trial,
        record=trial.record.model_copy(update={"worker": worker}),
        throughput=replace(speed, tps=speed.tps * FACTORS[machine]),
    )


def test_differences_between_machines_are_quantified(tmp_path: Path) -> None:
    turns = ["one", "slow"] * 3
    cells = _cells(tmp_path, {"a": turns, "b": turns})
    (text,) = workers.cautions(cells)
    assert text.startswith("The machines differ in throughput: one 1")
    assert "which is a block" in text
    table = workers.table(cells)
    assert [(row[0], row[4]) for row in table.rows] == [("one", "6"), ("slow", "6")]
    assert table.rows[1][5].startswith("7")


def test_an_unbalanced_spread_over_machines_is_a_caution(tmp_path: Path) -> None:
    turns = {"a": ["one", "slow"] * 2, "b": ["one", "one", "one", "slow"]}
    text = " ".join(workers.cautions(_cells(tmp_path, turns)))
    assert "the same number of trials on each machine" in text


def test_one_machine_is_no_source_of_variance(tmp_path: Path) -> None:
    turns = ["one"] * 4
    assert workers.cautions(_cells(tmp_path, {"a": turns, "b": turns})) == []
    (text,) = workers.cautions(_cells(tmp_path / "parallel", {"a": turns, "b": turns}, neighbours=1))
    assert text.startswith("2 trials ran in parallel, each on 2 CPUs")
