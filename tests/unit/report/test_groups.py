"""Cells that are shown together."""

from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.report.groups import before_faults, groups_of, names_of
from fivenines.report.sentences.answers import answers
from fivenines.results.store import open_run


def test_before_the_fault_all_faults_are_one(tmp_path: Path) -> None:
    recipes = [Recipe("a", tps=1000), Recipe("b", tps=500)]
    matrix = Matrix(recipes, faults=["kill", "stop", "none"], trials=2)
    cells = analyse(open_run(write_run(tmp_path / "run", matrix)))
    together = before_faults(cells)
    assert [(cell.key.solution, cell.key.fault) for cell in together] == [("a", ""), ("b", "")]
    assert [(cell.complete, cell.planned, cell.tps.n) for cell in together] == [(6, 6, 6)] * 2
    names = names_of(cells)
    assert [group.label for group in groups_of(together, names)] == [""]
    speed = [answer.text for answer in answers(cells, names) if answer.topic == "Speed"]
    assert len(speed) == 1 and speed[0].startswith("a has the highest mean")


def test_a_single_fault_is_as_before(tmp_path: Path) -> None:
    cells = analyse(open_run(write_run(tmp_path / "run", Matrix([Recipe("a")], trials=2))))
    (alone,) = before_faults(cells)
    assert alone.tps == cells[0].tps and alone.trials == cells[0].trials
