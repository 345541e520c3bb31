"""Sweeps in the report, in exports and on the terminal."""

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import SWEPT, Matrix, Recipe, variants, write_run

from fivenines.analysis.performance.sweeps import compared
from fivenines.report import summary_rows, tables, write_html
from fivenines.report.chapters.performance.sweeps import best_tables, sweep_answers, variant_tables
from fivenines.results.store import open_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("swept") / "run", SWEPT)


def _sentences(folder: Path) -> list[str]:
    return [answer.text for answer in sweep_answers(compared(open_run(folder)))]


def test_the_page_compares_best_cases_and_has_the_chapter(folder: Path) -> None:
    page = write_html(folder).read_text()
    head, _, rest = page.partition('<section id="sweeps"')
    chapter = rest.partition("</section>")[0]
    assert "gr (best of 3)" in head and "gr [spin" not in page.partition('id="settings"')[0]
    assert "spin=1000 is the best of 3 by throughput" in chapter
    assert "<svg" in chapter and "spin=1500" in chapter
    assert "32 of 32 planned trials in 8 cells complete" in page


def test_best_cases_and_variants_as_tables(folder: Path) -> None:
    found = compared(open_run(folder))
    (best,), (every,) = best_tables(found), variant_tables(found)
    assert [row[:2] for row in best.rows] == [["1 connection", "spin=1000"], ["8 connections", "spin=1000"]]
    assert all("spin=" in row[3] and row[5].endswith("%") for row in best.rows)
    assert [row[1:3] for row in every.rows[:3]] == [
        ["spin=0", "2 + 2"],
        ["spin=1000", "2 + 2"],
        ["spin=1500", "2 + 2"],
    ]
    assert every.rows[1][-1] == "the best case" and every.rows[0][-1].startswith("+")


def test_an_inconclusive_best_case_is_reported(tmp_path: Path) -> None:
    alike = {value: Recipe("", tps=1000) for value in (1, 2, 3)}
    run = write_run(tmp_path / "run", Matrix(variants("gr", alike), trials=6))
    (line,) = _sentences(run)
    assert "is the best of 3 by throughput" in line
    assert "no measurable difference to the runner-up, spin=" in line


@pytest.mark.parametrize("trials", [1, 2])
def test_few_trials(tmp_path: Path, trials: int) -> None:
    run = write_run(tmp_path / "run", replace(SWEPT, trials=trials, connections=[8]))
    assert "is not known (run 4 or more trials of each)" in _sentences(run)[0]
    assert summary_rows(run)[0]["Solution"] == "gr (best of 3: spin=1000)"
    write_html(run)


def test_many_conditions_are_counted(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", replace(SWEPT, connections=[1, 2, 4, 8, 16], trials=1))
    (line,) = _sentences(run)
    assert line.startswith("gr, best of 3 by throughput under 5 conditions: spin=1000 in 5")


def test_outages_choose_over_all_conditions(tmp_path: Path) -> None:
    recipes = {0: Recipe("", outage=2000), 9: Recipe("", outage=6000), 10: Recipe("", outage=None)}
    settings = {"by": "outage_writes", "best_for": "all"}
    matrix = Matrix(variants("gr", recipes, **settings), connections=[1, 8], trials=4)
    run = write_run(tmp_path / "run", matrix)
    (line,) = _sentences(run)
    assert line.startswith("gr, all cells together: spin=0 is the best of 3 by outage of writes;")
    assert "shorter than spin=9" in line
    page = write_html(run).read_text()
    assert "not comparable" in page


def test_exports_have_best_cases_and_variants(folder: Path) -> None:
    lines = list(csv.DictReader(io.StringIO(tables(folder, "csv"))))
    assert [(line["solution"], line["best_case"], line["variant_of"]) for line in lines[:3:2]] == [
        ("gr (best of 3)", "gr [spin=1000]", ""),
        ("alone", "", ""),
    ]
    assert [line["variant_of"] for line in lines[4:]] == ["gr"] * 6
    assert (lines[0]["tps_n"], lines[4]["tps_n"]) == ("2", "4")
    data = json.loads(tables(folder, "json"))
    (sweep,) = data["sweeps"]
    best = sweep["best_cases"][0]
    assert (best["best"], best["verdict"]) == ("gr [spin=1000]", "ahead")
    assert best["best_against_next"]["ratio_low"] > 1 and len(best["halves"]) == 3
    assert data["cells"][0]["best_case"]["variant"] == "gr [spin=1000]"
    assert len(data["variants"]) == 6
    text = tables(folder, "md")
    assert "**gr: the best of 3 variants by throughput, transactions per second;" in text


def test_an_unfinished_sweep_is_reported(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(folder, copy)
    for trial in sorted((copy / "trials").iterdir()):
        shutil.rmtree(trial)
    assert "no best case" in _sentences(copy)[0]
    assert "none could be chosen" in write_html(copy).read_text()


def test_a_choice_on_the_same_trials_names_its_bias(tmp_path: Path) -> None:
    settings = {"judged_on": "same-trials", "best_for": "workload"}
    recipes = {value: Recipe("", tps=1000) for value in (1, 2, 3)}
    matrix = Matrix([*variants("gr", recipes, **settings), Recipe("alone", tps=900)], trials=4)
    run = write_run(tmp_path / "run", matrix)
    (line,) = _sentences(run)
    assert line.startswith("gr, oltp_read_write: spin=")
    assert "(chosen on the same trials, so flattered)" in line
    page = write_html(run).read_text()
    assert "winner&#39;s curse" in page or "winner's curse" in page
    assert "gr (best of 3 on the same trials)" in page
    assert "which had no influence on the choice" not in page
    (best,), (every,) = (best_tables(compared(open_run(run))), variant_tables(compared(open_run(run))))
    assert "so flattered" in best.caption and "Mean of all trials" in every.columns
    assert [row[every.columns.index("Trials")] for row in every.rows] == ["4", "4", "4"]
    data = json.loads(tables(run, "json"))
    assert data["sweeps"][0]["judged_on"] == "same-trials"
    assert data["sweeps"][0]["best_cases"][0]["conditions"] == {"workload": "oltp_read_write"}


def test_a_sweep_by_another_measure_has_its_unit(tmp_path: Path) -> None:
    recipes = {1: Recipe("", tps=1000), 2: Recipe("", tps=300)}
    run = write_run(tmp_path / "run", Matrix(variants("gr", recipes, by="cov_in_time"), trials=4))
    assert "by variation of the throughput over time" in _sentences(run)[0]
    assert "transactions per second" not in _sentences(run)[0]
    write_html(run)
