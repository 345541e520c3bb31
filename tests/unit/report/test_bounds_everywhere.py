"""An outage without recovery has the same words everywhere, and is never left out."""

import csv
import io
import json
import re
from html import unescape
from pathlib import Path

import pytest
from synthetic_run import OPEN_LOOP, Matrix, Recipe, write_run

from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.comparisons import comparisons
from fivenines.analysis.wording import at_least, mean_with_interval
from fivenines.report import summary_rows, tables, write_html
from fivenines.report.groups import names_of
from fivenines.report.sentences.answers import answers
from fivenines.results.store import open_run

RECIPES = [Recipe("rival", outage=4600.0), Recipe("semi-sync", outage=4000.0, gone=1)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "bounds", Matrix(RECIPES, trials=2))


@pytest.fixture(scope="module")
def cell(run: Path) -> CellResult:
    return next(one for one in analyse(open_run(run)) if one.key.solution == "semi-sync")


def test_one_of_two_trials_is_a_bound_of_the_mean(cell: CellResult) -> None:
    values = [point.ms for point in cell.writes.points]
    assert cell.writes.summary.mean == pytest.approx(sum(values) / 2) and max(values) > 9000
    assert (cell.writes.summary.bounds, cell.writes.summary.ci_high) == (1, None)
    text = mean_with_interval(cell.writes.summary, milli=True)
    assert re.fullmatch(r"at least [67]\.\d+ s \(not recovered in 1 of 2 trials\)", text)


def text_of(page: str) -> str:
    """Return the words of a page, with plain blanks."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


def test_the_same_cell_reads_the_same_everywhere(run: Path, cell: CellResult) -> None:
    outage = mean_with_interval(cell.writes.summary, milli=True)
    failover = mean_with_interval(cell.failover.summary, milli=True)
    page, markdown = text_of(write_html(run).read_text()), tables(run, "md")
    (row,) = [row for row in summary_rows(run) if row["Solution"] == "semi-sync"]
    assert (row["Outage, writes"], row["Failover time"]) == (outage, failover)
    for text in (page, markdown):
        assert f"semi-sync {outage}" in text
        # On the page the head of the column may have the unit.
        assert text.count(outage) + text.count(outage.replace(" s (", " (")) >= 5
        # The time until the load writes has a separate figure, in the same words.
        assert re.search(r"semi-sync at least [\d.]+ s \(not recovered in 1 of 2 trials; did not end:", text)
        assert re.search(r"semi-sync is at least [\d.]+ m?s longer|semi-sync did not recover in 1 of 2", text)
        for other in re.findall(r"at least [\d.]+ s \((?:not [^);]*)", text):
            assert other.endswith((" in 1 of 2 trials", "(not recovered")), other
    assert not re.search(r"> \d[\d.]* m?s\b", page + markdown)


def test_exports_have_the_bound_and_no_interval(run: Path) -> None:
    (line,) = [
        one for one in csv.DictReader(io.StringIO(tables(run, "csv"))) if one["solution"] == "semi-sync"
    ]
    assert (line["outage_writes_ms_bounds"], line["outage_writes_ms_ci_low"]) == ("1", "")
    assert float(line["failover_ms_mean"]) > 6000
    data = next(one for one in json.loads(tables(run, "json"))["cells"] if one["solution"] == "semi-sync")
    assert data["failover_ms"]["bounds"] == data["failover_not_recovered"] == 1
    assert data["faults"][0]["returned"]["bounds"] == 1


def test_a_trial_without_return_is_in_every_comparison(run: Path) -> None:
    found = {one.metric: one for one in comparisons(analyse(open_run(run)))}
    for metric in ("outage of writes", "time until the load writes again"):
        assert (found[metric].difference.a.n, found[metric].difference.b.n) == (2, 2)
        assert "semi-sync did not recover in 1 of 2 trials" in found[metric].text
        assert "rival is" not in found[metric].text


def test_lower_bounds_of_one_trial_and_of_several() -> None:
    assert at_least("7.99 s", 0, 2) == "7.99 s"
    assert at_least("7.99 s", 1, 1) == "at least 7.99 s (not recovered)"
    assert at_least("7.99 s", 2, 3, "not ended") == "at least 7.99 s (not ended in 2 of 3 trials)"


def test_a_rate_that_all_solutions_sustain_is_not_a_speed(tmp_path: Path) -> None:
    matrix = Matrix(
        [
            Recipe("slow", tps=100, offered=100, latency=12, types=("a", "b")),
            Recipe("quick", tps=100, offered=100, latency=4, types=("a", "b")),
        ]
    )
    folder = write_run(tmp_path / "run", matrix)
    cells = analyse(open_run(folder))
    texts = [one.text for one in answers(cells, names_of(cells)) if one.topic == "Speed"]
    assert texts[0].startswith(
        "Both solutions sustained the offered rate of 100 transactions per second. quick"
    )
    assert "shortest response time (mean 95th percentile" in texts[0]
    assert "highest mean" not in tables(folder, "md")
    assert not [one for one in comparisons(cells) if one.metric == "throughput"]
    missed = analyse(open_run(write_run(tmp_path / "open", OPEN_LOOP)))
    (overrun,) = [one.text for one in answers(missed, names_of(missed)) if one.topic == "Speed"]
    assert "has the highest mean" in overrun


def test_sentences_name_the_number_of_connections_if_it_varies(tmp_path: Path) -> None:
    matrix = Matrix(RECIPES, connections=[1, 8], trials=2)
    cells = analyse(open_run(write_run(tmp_path / "run", matrix)))
    every = answers(cells, names_of(cells))
    assert len(every) == len({one.text for one in every})
    (outage,) = [one.text for one in every if "writes were unavailable" in one.text]
    assert outage.count("with 1 connection") == outage.count("with 8 connections") == 2
    failover, caught_up = [one.text for one in every if one.topic == "Failover"]
    assert "to the first write of the load, with 8 connections: " in failover
    assert "no surviving replica was behind, with 8 connections: " in caught_up
