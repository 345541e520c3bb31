"""`fivenines results` and `report`: runs on disk, found by what a person types."""

import json
import os
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_support import Fivenines, Pretend, write_run

from fivenines.base.errors import UsageError
from fivenines.cli.experiments import runs
from fivenines.cli.output import console
from fivenines.report.terminal.terminal import Block

NAME = "small-20260102-101500"
TABLE = Block(columns=["Solution", "Trials"], rows=[["pair", "3"]])


@pytest.fixture
def reported(pretend: Pretend) -> None:
    """A report that is always the same."""

    def write_html(run: Path, output: Path | None = None) -> Path:
        return output or run / "report.html"

    pretend(
        "fivenines.report",
        write_html=write_html,
        tables=lambda run, form: f"{run.name} as {form}\n",
        summary_rows=lambda run: [{"Solution": "pair", "Trials": "3"}],
        failover_rows=lambda run: [],
    )
    terminal = SimpleNamespace(blocks=lambda run, width, wide: [TABLE])
    pretend("fivenines.report.terminal", terminal=terminal)


def test_without_runs_the_list_says_how_to_begin(fivenines: Fivenines) -> None:
    answer = fivenines("results", "list")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == "no runs yet. To start one: fivenines run quickstart\n"
    assert json.loads(fivenines("results", "list", "--json").out) == []


def test_runs_are_listed_and_damaged_ones_are_named(fivenines: Fivenines) -> None:
    write_run(NAME, {"name": "small"})
    damaged = write_run("damaged", {"name": "x"}) / "manifest.json"
    damaged.write_text("{")
    answer = fivenines("results", "list")
    assert answer.code == 0
    assert answer.out.split("\n")[1].split()[:4] == [NAME, "2026-01-02", "10:15", "1/2"]
    assert answer.err.startswith("warning: runs/damaged/manifest.json is damaged")
    (row,) = json.loads(fivenines("results", "list", "--json").out)
    assert (row["run"], row["planned"], row["complete"], row["broken"]) == (NAME, 2, 1, 1)


def test_a_run_is_shown_with_what_went_wrong(fivenines: Fivenines, reported: None) -> None:
    write_run(NAME, {"name": "small", "description": "Which?"})
    answer = fivenines("results", "show")
    assert [line.rstrip() for line in answer.out.splitlines()] == [
        f"small  (runs/{NAME})",
        "Which?",
        "1 of 2 trials complete, 1 broken; created 2026-01-02T10:15:00Z",
        "a CPU, 2 cores, Debian 12, kernel 6.1",
        "Solution  Trials",
        "pair      3",
    ]
    assert answer.err == "broken: 0002.broken-1: the server did not start\n"
    shown = json.loads(fivenines("results", "show", NAME, "--json").out)
    assert shown["summary"] == [{"Solution": "pair", "Trials": "3"}]


def test_runs_are_removed_only_when_asked_and_only_runs(fivenines: Fivenines) -> None:
    folder = write_run(NAME, {"name": "small"})
    Path("precious").mkdir()
    answer = fivenines("results", "rm", NAME)
    assert (answer.code, folder.exists()) == (2, True)
    assert answer.err == "error: cannot ask for confirmation without a terminal. Add --yes\n"
    answer = fivenines("results", "rm", "precious", NAME, "--yes")
    assert (answer.code, folder.exists()) == (2, True)
    assert answer.err == "error: precious is not a run of fivenines, so it is not deleted\n"
    answer = fivenines("results", "rm", NAME, "--yes")
    assert (answer.code, answer.out, folder.exists()) == (0, f"removed runs/{NAME}\n", False)


def test_the_report_of_the_newest_run_is_a_page(fivenines: Fivenines, reported: None) -> None:
    for age, name in enumerate([NAME, "older-20250102-101500"]):
        manifest = write_run(name, {"name": "x"}) / "manifest.json"
        os.utime(manifest, (1000 - age, 1000 - age))
    assert fivenines("report").out == f"runs/{NAME}/report.html\n"
    assert fivenines("report", NAME, "--output", "x.html").out == "x.html\n"


def test_tables_go_to_stdout_or_into_a_file(fivenines: Fivenines, reported: None) -> None:
    write_run(NAME, {"name": "small"})
    assert fivenines("report", NAME, "--format", "csv").out == f"{NAME} as csv\n"
    assert fivenines("report", NAME, "--format", "md", "--output", "x.md").out == "x.md\n"
    assert Path("x.md").read_text() == f"{NAME} as md\n"
    answer = fivenines("report", NAME, "--format", "pdf")
    assert answer.code == 2
    assert "unknown value 'pdf': must be one of html" in answer.err


def test_a_misspelt_run_is_refused_with_the_nearest(fivenines: Fivenines) -> None:
    write_run(NAME, {"name": "small"})
    answer = fivenines("report", "small-20260102-101501")
    assert (answer.code, answer.err) == (
        2,
        f"error: unknown run 'small-20260102-101501'; did you mean {NAME!r}?\n",
    )


def test_an_experiments_name_stands_for_its_newest_run(fivenines: Fivenines, reported: None) -> None:
    for age, name in enumerate(["small-20260103-101500", NAME]):
        manifest = write_run(name, {"name": "small"}) / "manifest.json"
        os.utime(manifest, (1000 - age, 1000 - age))
    assert fivenines("report", "small").out == "runs/small-20260103-101500/report.html\n"
    assert fivenines("results", "rm", "small", "--yes").code == 2
    assert fivenines("report", "smalls").err == (
        f"error: unknown run 'smalls'\n    newest runs: small-20260103-101500, {NAME} "
        "(fivenines results list)\n"
    )


def test_without_any_run_the_newest_is_refused(fivenines: Fivenines) -> None:
    with pytest.raises(UsageError) as refused:
        runs.find(None)
    assert str(refused.value) == "there is no run in runs/. Name the folder of a run"


def test_names_of_folders_are_safe_and_new(fivenines: Fivenines) -> None:
    now = datetime(2026, 1, 2, 10, 15)
    assert runs.slug("Élan & Co / 2!") == "lan-co-2"
    assert runs.slug("!!!") == "run"
    first = runs.new_name("a b", now)
    first.mkdir(parents=True)
    assert (str(first), str(runs.new_name("a b", now))) == (
        "runs/a-b-20260102-101500",
        "runs/a-b-20260102-101500-2",
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (514_000_000, "514 MB"), (2e12, "2.0 TB")],
)
def test_sizes_are_for_people(number: float, text: str) -> None:
    assert console.size(int(number)) == text
