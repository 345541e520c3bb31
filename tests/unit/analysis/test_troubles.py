"""Troubles: every bad state of a record is reported, equal ones count once, the worst come first."""

from pathlib import Path

import pytest
from synthetic_run import SIDE_BY_SIDE, TRUTH, Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.analysis.troubles import KINDS, TroubleResult, trouble_results
from fivenines.results.store import open_run


def found(folder: Path, matrix: Matrix) -> list[TroubleResult]:
    run = open_run(write_run(folder / "run", matrix))
    return trouble_results(run, analyse(run))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[TroubleResult]:
    return found(tmp_path_factory.mktemp("troubles"), SIDE_BY_SIDE)


def test_a_calm_solution_has_none(results: list[TroubleResult]) -> None:
    assert {item.key.solution for item in results} == {"split"}


def test_each_trouble_is_reported_once_with_its_trials(results: list[TroubleResult]) -> None:
    assert [item.kind for item in results] == ["split brain", "lost rows", "failed"]
    split, lost, failed = results
    assert split.text == "node1 and node2 took writes at the same time for 1.50 s"
    assert len(split.trials) == split.of == 2
    assert "acknowledged row" in lost.text
    assert failed.text == "the power switch of node1 did not answer: try 17 of 20"
    assert failed.where == ("node1",)


def test_the_worst_kinds_come_first(tmp_path: Path) -> None:
    matrix = Matrix([Recipe("never back", outage=None, rejoins=False), Recipe("fine")], trials=2, broken=1)
    kinds = [item.kind for item in found(tmp_path, matrix)]
    assert kinds == sorted(kinds, key=KINDS.index)
    assert {"writes not back", "did not rejoin", "broken trial"} <= set(kinds)
    assert "not checked" in kinds, "the node that did not rejoin says something else by itself"


def test_nodes_that_differ_are_a_trouble(tmp_path: Path) -> None:
    results = found(tmp_path, TRUTH)
    assert {item.key.solution for item in results} == {"odd <replica>"}
    differ = next(item for item in results if item.kind == "nodes differ")
    assert differ.text.endswith("sbtest<1>")
