"""What stands beside the verdict: too few trials, others on the machine, and no more than three of all."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.sweeps import compared
from fivenines.report import sharing
from fivenines.report.answer import Answer
from fivenines.report.cautions import cautions
from fivenines.report.chapters.data import Data
from fivenines.report.decision import decide
from fivenines.results.store import open_run


def found(folder: Path, matrix: Matrix, *said: str) -> list[str]:
    run = open_run(write_run(folder / "run", matrix))
    answers = [Answer("Caution", text, "trust") for text in said]
    return cautions(decide(run), Data(run, compared(run), answers))


def test_figures_that_the_trials_cannot_tell_apart_are_named(tmp_path: Path) -> None:
    alike = Matrix([Recipe("a", tps=1000), Recipe("b", tps=1180)], faults=["none"], trials=2)
    (text,) = found(tmp_path, alike)
    assert text.startswith("2 trials are too few to tell ")
    assert text.endswith("(transactions per second).")


def test_a_single_trial_tells_nothing(tmp_path: Path) -> None:
    apart = Matrix([Recipe("a", tps=1000), Recipe("b", tps=3000)], faults=["none"], trials=1)
    text, *_ = found(tmp_path, apart)
    assert text.startswith("1 trial is too few to tell ")


def test_what_the_trials_tell_needs_no_caution(tmp_path: Path) -> None:
    apart = Matrix([Recipe("a", tps=1000), Recipe("b", tps=3000)], faults=["none"], trials=4)
    assert found(tmp_path, apart) == []


@pytest.mark.parametrize(("said", "last"), [(3, "c 3."), (5, "2 more cautions under How far to trust it.")])
def test_three_cautions_stand_there_without_their_figures(tmp_path: Path, said: int, last: str) -> None:
    calm = Matrix([Recipe("a")], faults=["none"], trials=2)
    texts = found(tmp_path, calm, *(f"c {n}: and so; up to {n} %" for n in range(1, said + 1)))
    assert [*texts[:3], texts[-1]] == ["c 1.", "c 2.", "c 3.", last]


def test_others_on_the_machine_are_one_sentence() -> None:
    def cell(name: str, taken: float) -> SimpleNamespace:
        shared = SimpleNamespace(taken=taken, cores=2.0, disturbed=taken > 0.2)
        return SimpleNamespace(key=SimpleNamespace(solution=name), trials=[SimpleNamespace(sharing=shared)])

    cells: list[Any] = [cell("a", 0.9), cell("b", 1.13), cell("c", 0.0)]
    assert sharing.caution_in_short(cells) == [
        "Others used up to 1.1 of 2 cores of the machine while a and b were measured."
    ]
    assert sharing.caution_in_short(cells[2:]) == []
