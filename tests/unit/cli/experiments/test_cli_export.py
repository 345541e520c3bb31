"""`export`: the file, what it says of it, and when it says how far it is."""

from pathlib import Path

import pytest
from cli_support import Fivenines
from synthetic_run import Matrix, Recipe, write_run

from fivenines.cli.experiments.export import _reporter
from fivenines.cli.output import console


def test_it_says_what_is_in_the_file(fivenines: Fivenines, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("a")], trials=2, broken=1))
    to = tmp_path / "trials.duckdb"
    answer = fivenines("export", str(run), "--to", str(to))
    assert answer.code == 0 and "trials 2" in answer.out.replace("\n", " ")
    assert to.is_file()


def test_a_file_has_to_be_named(fivenines: Fivenines, tmp_path: Path) -> None:
    run = str(write_run(tmp_path / "run", Matrix([Recipe("a")], trials=1)))
    assert fivenines("export", run).code == 2
    answer = fivenines("export", run, "--to", "x.csv")
    assert answer.code == 2 and ".duckdb or .parquet" in answer.err


def test_what_takes_long_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    tell = _reporter(lambda: now[0])
    assert not console.stderr().is_terminal
    for done, at in enumerate((0.5, 1.9, 2.5, 3.0, 8.0), 1):
        now[0] = at
        tell(done, 9)
    assert capsys.readouterr().err.splitlines() == ["  3 of 9 trials read", "  5 of 9 trials read"]
