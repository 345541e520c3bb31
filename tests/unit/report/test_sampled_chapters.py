"""The chapters on replication lag and on counters, of runs with synthetic samples."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import QUICKSTART, SAMPLED, write_run

from fivenines.analysis.performance.sweeps import compared
from fivenines.report import write_html
from fivenines.report.chapters.consistency import lag
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance import counters
from fivenines.report.html.section import Section
from fivenines.results.store import Run, open_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return open_run(write_run(tmp_path_factory.mktemp("sampled") / "run", SAMPLED))


def _lag(run: Run) -> Section:
    return lag.chapter(Data(run, compared(run)))


def _counters(run: Run) -> Section:
    return counters.chapter(Data(run, compared(run)))


def test_misleading_figures_are_detected(run: Run) -> None:
    misled, _ = _lag(run).every_table
    by_figure = {row[1]: row for row in misled.rows}
    assert set(by_figure) == {"Seconds_Behind_Master", "pg_stat_replication.replay_lag"}
    zero, null = by_figure["Seconds_Behind_Master"], by_figure["pg_stat_replication.replay_lag"]
    # two trials, each behind by more than 1 s for the last two of three seconds
    assert zero[3] == "4"
    assert zero[5] == "0"
    assert null[3] == "0"
    assert null[5] == "6"
    assert 2.4 < float(zero[4].split()[0]) < 3


def test_lag_is_drawn_and_tabulated_for_each_cell(run: Run) -> None:
    chapter = _lag(run)
    assert [figure.title for figure in chapter.every_figure] == [
        "Replication lag: replicas",
        "Replication lag: standbys",
    ]
    assert all("(node2), the reported lag" in figure.finding for figure in chapter.every_figure)
    _, table = chapter.every_table
    figures = {row[1] for row in table.rows}
    assert figures > {"actual lag, all samples", "gtid_binlog_pos - gtid_slave_pos"}


def test_counters_are_rates_and_costs_of_a_transaction(run: Run) -> None:
    chapter = _counters(run)
    assert len(chapter.every_figure) == 4
    costs, steady, _ = chapter.every_table
    assert [row[0] for row in costs.rows] == ["replicas", "standbys"]
    means = {(row[0], row[1]): row[-2:] for row in steady.rows}
    # 900 a second, also in the trial in which the counter later begins again
    assert [text.split()[0] for text in means["replicas", "Commits per second (Com_commit)"]] == [
        "900",
        "900",
    ]


def test_runs_without_samples_have_no_such_chapters(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", replace(QUICKSTART, trials=1)))
    assert not _lag(run).filled
    assert not _counters(run).filled


def test_damaged_tables_are_as_none(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", replace(SAMPLED, trials=1))
    for table in ("counters", "lag", "views", "hosts"):
        for file in folder.glob(f"trials/*/{table}.parquet"):
            file.write_bytes(b"damaged")
    run = open_run(folder)
    assert not _counters(run).filled
    assert not _lag(run).filled


def test_the_page_has_both_and_stays_small_with_many_cells(tmp_path: Path) -> None:
    recipes = [replace(SAMPLED.recipes[n % 2], name=f"solution {n}") for n in range(16)]
    matrix = replace(SAMPLED, recipes=recipes, trials=1)
    text = write_html(write_run(tmp_path / "run", matrix)).read_text()
    assert len(text.encode()) < 3_000_000
    words = re.sub(r"<[^>]+>", "", text)
    assert "Only the tables contain the 4 cells with fewer connections" in words
    assert "Only the tables contain the 10 cells with fewer connections" in words
    assert 'id="lag"' in text
    assert 'id="counters"' in text
