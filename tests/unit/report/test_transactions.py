"""Types of transactions, open loops and invariants in the report."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from page_reader import Page, text_of
from synthetic_run import OPEN_LOOP, QUICKSTART, write_run

from fivenines.analysis.cells import analyse
from fivenines.report import summary_rows, tables, write_html
from fivenines.report.chapters.performance.transactions import metric_text
from fivenines.results.store import open_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "open", OPEN_LOOP)


@pytest.fixture(scope="module")
def text(run: Path) -> str:
    page = write_html(run).read_text()
    Page(page)
    return text_of(page)


def test_each_type_has_its_rate_and_times(run: Path, text: str) -> None:
    assert "kept: tpmC 3 600" in text  # 60 a second in the histograms
    for name in ("new_order", "stock_level"):
        assert name in text
    cell = analyse(open_run(run))[0]
    assert cell.types[0].name == "new_order"
    assert cell.types[0].rate.mean == pytest.approx(60)
    assert (cell.types[0].ok, cell.types[0].expected) == (2700, 27)
    assert "Expected failures" in text and "Retries" not in text.split("Expected failures")[1][:60]


def test_tatp_has_a_metric(run: Path) -> None:
    cell = analyse(open_run(run))[0]
    assert metric_text(cell, "tatp").startswith("MQTh 1")
    assert metric_text(cell, "oltp_read_only") == ""


def test_offered_and_achieved_rate_share_a_table(run: Path, text: str) -> None:
    assert summary_rows(run)[1]["Transactions/s"].endswith(" at 1\N{NARROW NO-BREAK SPACE}000 offered")
    assert re.search(r"did not sustain the offered rate \((.*, )?overrun (5|6)\d %\)", text)
    # how late transactions began, and new connections; the units stand in the heads
    assert "".join(("1.80", "2.40", "412")) in text
    assert re.search(r"48 000.*1\.03", text)


def test_expected_failures_were_answered_too(run: Path) -> None:
    cell = analyse(open_run(run))[1]
    first = cell.types[0]
    plain = cell.kept_percent
    assert plain is not None and plain < 70
    unlucky = replace(cell, types=[replace(first, expected=sum(one.ok for one in cell.types))])
    half = replace(cell, types=[replace(first, ok=100, expected=50)])
    bare = replace(cell, types=[])
    assert half.kept_percent == pytest.approx(1.5 * (bare.kept_percent or 0))
    assert (unlucky.kept_percent or 0) > plain
    assert replace(cell, offered=None).kept_percent is None


def test_steps_are_shown_one_by_one(text: str) -> None:
    steps = text[text.index("Steps: means of the trials") :]
    assert "From (s)" in steps and "7.5" in steps and "max (ms)" in steps and "870" in steps[:1500]


def test_stalls_of_a_load_in_steps_are_not_measured(run: Path) -> None:
    """A step of a low rate is no stall: none seen is not 0."""
    cells = analyse(open_run(run))
    assert any(len(trial.steps) > 1 for cell in cells for trial in cell.trials)
    for cell in cells:
        assert cell.stalls.longest.n == sum(len(trial.steps) < 2 for trial in cell.trials)
        assert cell.stalls.number.n == cell.stalls.longest.n


def test_a_violated_invariant_is_loud_and_names_the_rows(run: Path, text: str) -> None:
    answer = text[text.index("Invariants", text.index("Outages")) : text.index("All invariants of all cells")]
    assert (
        "overrun violated invariants of the workload in 3 of 3 trials: orders have their lines."
    ) in answer
    assert "kept left data" not in answer
    assert "1 row found: o_id &lt;7&gt;, lines 9" in text
    assert [row["Invariants"] for row in summary_rows(run)] == [
        "1 of 3 not known",
        "VIOLATED in 3 of 3 trials",
    ]


def test_the_load_generators_warning_is_reported(text: str) -> None:
    assert "the client was the limit: it used 97 % of a core" in text


def test_the_tables_are_exported_too(run: Path) -> None:
    markdown = tables(run, "md")
    start = "## Results\n\n**Recommended: kept, the only one with no "
    assert start in markdown and "\n\n- Speed: " in markdown
    assert "kept: tpmC" in markdown and "| new_order |" in markdown
    assert "orders have their lines" in markdown
    data = json.loads(tables(run, "json"))["cells"]
    assert data[1]["violated_trials"] == 3 and data[1]["offered"] == 1000
    assert data[0]["types"][0]["rate"]["mean"] == pytest.approx(60)


def test_tables_of_many_cells_are_folded(tmp_path: Path) -> None:
    many = replace(OPEN_LOOP, connections=[1, 2, 4, 8], trials=1)
    page = write_html(write_run(tmp_path / "run", many)).read_text()
    assert page.count("<summary>kept, ") >= 4
    assert len(page.encode()) < 3_000_000


def test_a_run_without_types_has_no_such_parts(tmp_path: Path) -> None:
    page = text_of(write_html(write_run(tmp_path / "run", QUICKSTART)).read_text())
    assert "Invariants of the data" not in page and "Open loop: what" not in page
