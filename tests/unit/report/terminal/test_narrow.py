"""Tables in a terminal of 80 columns: one line for each solution, whole words, whole numbers."""

from pathlib import Path

import pytest
from synthetic_run import QUICKSTART, SIDE_BY_SIDE, SWEPT, Matrix, Recipe, variants, write_run

from fivenines.cli.experiments import summary
from fivenines.cli.output import console
from fivenines.report.terminal.narrow import fitted, shorter
from fivenines.report.terminal.terminal import blocks

THIN = "\N{NARROW NO-BREAK SPACE}"
LONG = "replication semi-sync AFTER_SYNC with three replicas behind HAProxy"

MATRICES = {
    "quickstart": QUICKSTART,
    "split brain": SIDE_BY_SIDE,
    "swept": SWEPT,
    "long names": Matrix(
        [Recipe(LONG, tps=12345, lost=4), Recipe("b", outage=None), Recipe("c", gone=1)],
        connections=[1, 32],
        faults=["none", "kill"],
        trials=2,
    ),
}


@pytest.mark.parametrize(
    ("cell", "short"),
    [
        (f"911 (497 to 1{THIN}326)", f"911 (497\N{EN DASH}1{THIN}326)"),
        ("1.01 s (385 ms to 1.63 s)", "1.01 s (385 ms\N{EN DASH}1.63 s)"),
        ("at least 6.92 s (not recovered in 1 of 2 trials)", f"\u2265{THIN}6.92 s"),
        ("at least 7.99 s (not recovered)", f"\u2265{THIN}7.99 s"),
        ("1 (in 1 of 3 trials)", "1 (1 of 3)"),
        ("0 (in 1 trial)", "0 (0 of 1)"),
        ("2-safe durable (on)", "2-safe durable (on)"),
    ],
)
def test_a_figure_in_fewer_characters(cell: str, short: str) -> None:
    assert shorter(cell) == short


def test_names_wrap_before_figures_are_left_out() -> None:
    rows = [{"Solution": "x" * 10 + " " + "y" * 30, "A": "1" * 20, "B": "2" * 20, "C": "3" * 20}]
    table = fitted(rows, (), ["A", "B"], ["Solution"], 60)
    assert (table.columns, table.left_out) == (["Solution", "A", "B"], ["C"])
    table = fitted(rows, ("B",), ["A"], ["Solution"], 90)
    assert (table.columns, table.left_out) == (["Solution", "A", "C"], [])


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_word_and_no_number_is_broken(
    name: str, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write_run(tmp_path / "run", MATRICES[name])
    monkeypatch.setenv("COLUMNS", str(width))
    for block in blocks(run, width):
        if not block.columns:
            continue
        console.table(block.columns, block.rows, names=block.names, groups=block.groups)
        lines = [line.rstrip("\n") for line in capsys.readouterr().out.splitlines()]
        assert all(len(line) <= width for line in lines), lines
        text = "\n".join(lines)
        for row in block.rows:
            for column, cell in zip(block.columns, row, strict=True):
                if column in block.names:
                    assert all(word in text for word in cell.split())
                else:  # a figure is on one line, all of it
                    assert any(f" {cell}" in f" {line}" for line in lines), cell


def test_rows_with_the_same_conditions_are_adjacent(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", MATRICES["long names"])
    (table, *_) = [block for block in blocks(run, 80) if block.columns]
    assert list(dict.fromkeys(table.groups)) == [
        "1 connection, fault none",
        "32 connections, fault none",
        "1 connection, fault kill",
        "32 connections, fault kill",
    ]
    assert [row[0] for row in table.rows] == [LONG, "b", "c"] * 4
    assert table.columns[0] == "Solution" and "Lost rows" in table.columns


def test_wide_shows_all_columns_and_a_note_names_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run = write_run(tmp_path / "run", QUICKSTART)
    summary.show(run)
    shown = capsys.readouterr()
    assert "Outage, reads" not in shown.out
    assert shown.err.startswith("columns not shown: ")
    assert "Outage, reads" in shown.err and "to show them: fivenines results show run --wide" in shown.err
    summary.show(run, wide=True)
    shown = capsys.readouterr()
    assert "Outage, reads" in shown.out and " to " in shown.out and shown.err == ""


def test_a_split_brain_of_a_variant_that_is_not_the_best_is_an_alarm(tmp_path: Path) -> None:
    recipes = {
        1: Recipe("", tps=400, split=1500.0, lost=4, sampled="mariadb", known=True),
        2: Recipe("", tps=1200, sampled="mariadb", known=True),
    }
    run = write_run(tmp_path / "run", Matrix(variants("gr", recipes), trials=4))
    found = blocks(run, 80)
    (table, *_) = [block for block in found if block.columns]
    assert "Split brain" not in table.columns
    (alarm,) = [block.lines for block in found if block.alarm and block.lines]
    assert alarm[0].startswith("SPLIT BRAIN: gr [spin=1] had a split brain in 4 of 4 trials")
