"""The report names figures that servers did not show, and why."""

from dataclasses import replace
from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.report.sentences import unobserved
from fivenines.results.records import Unobserved
from fivenines.results.store import open_run


def test_each_reason_is_named_once(tmp_path: Path) -> None:
    (cell,) = analyse(open_run(write_run(tmp_path / "run", Matrix([Recipe("a")], faults=["none"], trials=2))))
    assert unobserved.cautions([cell]) == []
    item = Unobserved(node="db1", what="its lag", why="denied")
    trials = [
        replace(trial, record=trial.record.model_copy(update={"unobserved": [item]})) for trial in cell.trials
    ]
    assert unobserved.cautions([replace(cell, trials=trials)]) == [
        "The servers of a do not show all figures, and these are not 0: db1: its lag: denied."
    ]
