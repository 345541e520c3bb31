"""At most three cautions next to the verdict: too few trials, other processes on the machine, and others."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.performance.sweeps import compared
from fivenines.report.chapters.data import Data
from fivenines.report.sentences import sharing
from fivenines.report.sentences.answer import Answer
from fivenines.report.sentences.cautions import cautions
from fivenines.report.sentences.decision import decide
from fivenines.results.store import open_run


def _cautions(folder: Path, matrix: Matrix, *cautioned: str) -> list[str]:
    run = open_run(write_run(folder / "run", matrix))
    answers = [Answer("Caution", text, "trust") for text in cautioned]
    return cautions(decide(run), Data(run, compared(run), answers))


def test_means_that_the_trials_do_not_distinguish_are_named(tmp_path: Path) -> None:
    alike = Matrix([Recipe("a", tps=1000), Recipe("b", tps=1180)], faults=["none"], trials=2)
    (text,) = _cautions(tmp_path, alike)
    assert text.startswith("2 trials are too few to distinguish ")
    assert text.endswith("(transactions per second).")


def test_a_single_trial_distinguishes_nothing(tmp_path: Path) -> None:
    apart = Matrix([Recipe("a", tps=1000), Recipe("b", tps=3000)], faults=["none"], trials=1)
    text, *_ = _cautions(tmp_path, apart)
    assert text.startswith("1 trial is too few to distinguish ")


def test_a_difference_that_the_trials_show_has_no_caution(tmp_path: Path) -> None:
    apart = Matrix([Recipe("a", tps=1000), Recipe("b", tps=3000)], faults=["none"], trials=4)
    assert _cautions(tmp_path, apart) == []


@pytest.mark.parametrize(
    ("n", "last"), [(3, "c 3."), (5, "2 more cautions: see Reliability of the measurements.")]
)
def test_three_cautions_are_shown_without_their_figures(tmp_path: Path, n: int, last: str) -> None:
    calm = Matrix([Recipe("a")], faults=["none"], trials=2)
    texts = _cautions(tmp_path, calm, *(f"c {i}: and so; up to {i} %" for i in range(1, n + 1)))
    assert [*texts[:3], texts[-1]] == ["c 1.", "c 2.", "c 3.", last]


def test_where_fewer_have_room_the_number_of_the_others_is_named(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", Matrix([Recipe("a")], faults=["none"], trials=2)))
    data = Data(run, compared(run), [Answer("Caution", f"c {i}", "trust") for i in range(1, 4)])
    assert cautions(decide(run), data, 2) == [
        "c 1.",
        "c 2.",
        "1 more caution: see Reliability of the measurements.",
    ]


def test_other_processes_on_the_machine_are_one_sentence() -> None:
    def cell(name: str, taken: float) -> SimpleNamespace:
        shared = SimpleNamespace(taken=taken, cores=2.0, disturbed=taken > 0.2)
        return SimpleNamespace(key=SimpleNamespace(solution=name), trials=[SimpleNamespace(sharing=shared)])

    cells: list[Any] = [cell("a", 0.9), cell("b", 1.13), cell("c", 0.0)]
    assert sharing.caution_in_short(cells) == [
        "Other processes used up to 1.1 of 2 cores of the machine while a and b were measured."
    ]
    assert sharing.caution_in_short(cells[2:]) == []
