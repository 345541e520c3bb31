"""The page: complete, self-contained, escaped, and there in every situation."""

import html
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from page_reader import Page, text_of, without_scripts
from synthetic_run import MARIADB, QUICKSTART, Matrix, Recipe, write_run

from fivenines.base.errors import FiveninesError
from fivenines.report import write_html

EVIL = "<script>alert('x')</script>&\"'{{7*7}}"


def page_of(folder: Path, matrix: Matrix) -> str:
    return write_html(write_run(folder / "run", matrix)).read_text()


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_of(tmp_path_factory.mktemp("quick"), QUICKSTART)


@pytest.fixture(scope="module")
def maria(tmp_path_factory: pytest.TempPathFactory) -> str:
    matrix = replace(MARIADB, connections=[8, 32], workloads=["oltp_read_write"])
    return page_of(tmp_path_factory.mktemp("maria"), matrix)


def test_nothing_is_loaded_from_elsewhere(quick: str) -> None:
    page = Page(quick)
    assert all("src" not in script for script in page.named("script"))
    assert not page.named("link")
    assert not page.named("img")
    outside = re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?(?!#)(?:https?:|//|file:)", without_scripts(quick))
    assert outside == []
    assert "@import" not in quick


def test_ids_are_unique_and_links_lead_somewhere(maria: str) -> None:
    page = Page(maria)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [a["href"] for a in page.named("a") if a.get("href")]
    assert all(target and target[1:] in ids for target in targets)
    labels = [a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a]
    assert set(labels) <= set(ids)
    assert set(re.findall(r"url\(#([^)]+)\)", without_scripts(maria))) <= set(ids)


def test_tables_have_captions_scopes_and_a_keyboard_reachable_box(quick: str) -> None:
    page = Page(quick)
    tables = len(page.named("table"))
    assert tables == len(page.named("caption")) > 8
    assert all(cell.get("scope") in ("col", "row") for cell in page.named("th"))
    boxes = [box for box in page.named("div") if box.get("class") == "scroll"]
    assert len(boxes) == tables
    assert all(box["tabindex"] == "0" and box["role"] == "region" for box in boxes)


def test_figures_have_text_alternatives_and_data(maria: str) -> None:
    page = Page(maria)
    figures = page.named("figure")
    assert len(figures) == 1 + 3 + 8 + 1 + 2
    charts = [chart for chart in page.named("div") if chart.get("class") == "chart"]
    assert len(charts) == len(figures)
    assert all(len(chart["aria-label"] or "") > 40 for chart in charts)
    assert maria.count("The figures as a table") == len(figures)
    assert all(svg.get("aria-hidden") == "true" for svg in page.named("svg"))


def test_headings_step_down_without_gaps(maria: str) -> None:
    levels = [int(tag[1]) for tag, _ in Page(maria).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_answer_comes_first_and_is_right(quick: str) -> None:
    text = text_of(quick)
    assert text.index("Recommended: 2-safe (on)") < text.index("Lost rows", text.index("Glossary"))
    assert "1-safe (local) has the highest mean," in text
    assert re.search(r"lost acknowledged rows in \d of 3 trials", text)
    assert "2-safe (on) lost no acknowledged row in 3 trials. The loss rate is at most 63 % of trials" in text


def test_problems_of_the_run_are_reported(maria: str) -> None:
    text = text_of(maria)
    assert "standalone at least 9.9" in text
    assert "A restarted node did not rejoin" in text
    assert "state transfer refused: wsrep_sst_auth &lt;unset&gt;" in text
    assert "could not bind &lt;10.0.0.3:5432&gt;" in text
    assert "The load generator may have been the bottleneck for galera" in text
    assert "2 planned trials not complete: " in text


def test_settings_and_environment_in_full(quick: str) -> None:
    text = text_of(quick)
    for expected in (
        "solutions[0].manager.interval",
        "setting_119",
        "node1: 1; node2: 2",
        "Pretend CPU",
        "cubic",
        "manager: misses",
        "10.11.14-MariaDB",
        "timing.recovery",
        "1003",
        "node1, node2 (primary of record)",
    ):
        assert expected in text


def test_names_are_escaped(tmp_path: Path) -> None:
    matrix = Matrix([Recipe(EVIL), Recipe("b")], workloads=[EVIL], name=EVIL, trials=2, connections=[1, 2])
    text = page_of(tmp_path, matrix)
    page = Page(text)
    known = Page(page_of(tmp_path / "plain", replace(matrix, recipes=[Recipe("a"), Recipe("b")])))
    assert len(page.named("script")) == len(known.named("script"))
    heading = re.search(r"<h1>(.*?)</h1>", text)
    assert heading
    assert html.unescape(heading[1]) == EVIL


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (replace(QUICKSTART, trials=1), "not comparable with"),
        (replace(QUICKSTART, broken=99), "There are no results: no trial is complete."),
        (replace(QUICKSTART, faults=["none"]), "has the highest mean"),
        (replace(QUICKSTART, recipes=QUICKSTART.recipes[:1]), "1-safe (local) reaches"),
        (replace(QUICKSTART, faults=["none", "kill"]), "fault kill"),
    ],
)
def test_every_run_has_a_report(tmp_path: Path, matrix: Matrix, expected: str) -> None:
    text = page_of(tmp_path, matrix)
    Page(text)
    assert expected in text_of(text)


def test_a_run_without_any_trial_folder_has_a_report(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", replace(QUICKSTART, broken=99))
    for folder in (run / "trials").iterdir():
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    (run / "trials").rmdir()
    assert "6 planned trials not complete" in text_of(write_html(run).read_text())


def test_the_page_can_go_elsewhere(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", replace(QUICKSTART, trials=1))
    assert write_html(run, tmp_path / "here.html") == tmp_path / "here.html"
    assert not (run / "report.html").exists()
    with pytest.raises(FiveninesError, match="no such folder"):
        write_html(tmp_path / "nothing")


def test_large_runs_stay_small(tmp_path: Path) -> None:
    recipes = [Recipe(f"solution number {n}", tps=300) for n in range(19)]
    matrix = Matrix(recipes, connections=[1, 2], trials=1)
    text = page_of(tmp_path, matrix)
    assert len(text.encode()) < 4_000_000
    assert "Only the tables contain the 26 cells with fewer connections" in text_of(text)
