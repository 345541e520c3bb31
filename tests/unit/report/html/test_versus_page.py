"""The page of a comparison: one file that has everything, also of several runs, and is escaped."""

import re
from pathlib import Path

import pytest
from page_reader import Page, text_of
from synthetic_interleaved import SyntheticBlock, write_interleaved_run
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.decision.ratio_thresholds import judge_ratios
from fivenines.analysis.measures.ratios import parse_ratio
from fivenines.analysis.versus import versus
from fivenines.report.groups import names_of_keys
from fivenines.report.html.versus_page import render
from fivenines.report.versus import keys_of
from fivenines.results import layout, store
from fivenines.results.store import Run, open_run

EVIL = "<b>&galera"


def _page(*runs: Run, thresholds: tuple[str, ...] = ()) -> str:
    found = versus(*runs)
    judged = judge_ratios(found, [parse_ratio(one) for one in thresholds])
    return render(found, runs, names_of_keys(keys_of(found)), judged)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs")
    recipes = [Recipe(EVIL, tps=1000), Recipe(EVIL, tps=700), Recipe(EVIL, outage=2000, lost=3)]
    folders = [
        write_run(folder / name, Matrix([recipe], trials=5, seed=n))
        for n, (name, recipe) in enumerate(zip(("v1", "v2", "v3"), recipes, strict=True))
    ]
    manifest = open_run(folders[2]).manifest
    machine = manifest.machine.model_copy(update={"kernel": "Linux 6.12"})
    store.write_json(folders[2] / layout.MANIFEST, manifest.model_copy(update={"machine": machine}))
    return _page(*map(open_run, folders), thresholds=("tps >= 0.95",))


def test_it_is_one_file_that_loads_nothing(page: str) -> None:
    read = Page(page)
    assert not read.named("script") and not read.named("link") and not read.named("img")
    assert re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?(?!#)(?:https?:|//|file:)", page) == []


def test_changes_runs_and_other_differences_are_reported(page: str) -> None:
    text = text_of(page)
    assert "v2, v3 against v1" in text
    assert "1 threshold on ratios, judged 2 times (cell by cell):" in text and "1 failed" in text
    assert "Judged by 97.5 % intervals, so that the intervals of a measure in 2 runs hold" in text.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert "New: acknowledged rows lost in" in text
    assert "Linux 6.1.0" in text and "Linux 6.12" in text
    assert "✗ worse" in text and "✓ better" in text
    assert "Ratios to v1" in text and "<svg" in page


def test_names_are_escaped_and_ids_unique(page: str) -> None:
    assert EVIL not in page and "&lt;b&gt;&amp;galera" in page
    ids = [attributes["id"] for _, attributes in Page(page).tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_blocks_have_a_separate_section(tmp_path: Path) -> None:
    before = write_interleaved_run(tmp_path / "before", SyntheticBlock(blocks=3, seed=1))
    after = write_interleaved_run(tmp_path / "after", SyntheticBlock(tps=(500.0, 900.0), blocks=3, seed=2))
    text = text_of(_page(open_run(before), open_run(after)))
    assert "Interleaved solutions: their ratio in each run" in text and "≠ changed" in text


def test_runs_without_a_common_cell_have_a_page_too(tmp_path: Path) -> None:
    runs = [open_run(write_run(tmp_path / name, Matrix([Recipe(name)], trials=2))) for name in ("a", "b")]
    assert "Nothing to compare" in text_of(_page(*runs))
