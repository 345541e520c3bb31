"""Cells stand as their experiment names what they are made of."""

from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.results.store import open_run


def test_order_is_that_of_the_experiment(tmp_path: Path) -> None:
    recipes = [Recipe("z"), Recipe("a")]
    matrix = Matrix(recipes, connections=[2, 16], workloads=["w2", "w1"], trials=1)
    keys = [cell.key for cell in analyse(open_run(write_run(tmp_path / "run", matrix)))]
    assert [(key.workload, key.solution, key.connections) for key in keys] == [
        (workload, solution, connections)
        for workload in ("w2", "w1")
        for solution in ("z", "a")
        for connections in (2, 16)
    ]


def test_faults_stand_as_in_the_experiment(tmp_path: Path) -> None:
    matrix = Matrix([Recipe("a")], faults=["stop", "kill", "freeze of 3s", "none"], trials=1)
    keys = [cell.key.fault for cell in analyse(open_run(write_run(tmp_path / "run", matrix)))]
    assert keys == ["stop", "kill", "freeze of 3s", "none"]
