"""The chapters on solutions, split brains and problems, on the page and in exports."""

import json
import re
from pathlib import Path

import pytest
from synthetic_run import SIDE_BY_SIDE, write_run

from fivenines.analysis.cells import analyse
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.wording import NOTHING
from fivenines.report import summary_rows, tables, write_html
from fivenines.report.chapters import solutions
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.problems import alarms
from fivenines.report.table import Table
from fivenines.results import store
from fivenines.results.records import Manifest
from fivenines.results.store import Run, open_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """With prices."""
    folder = write_run(tmp_path_factory.mktemp("sides") / "run", SIDE_BY_SIDE)
    manifest = Manifest.model_validate_json((folder / "manifest.json").read_text())
    cost = {"currency": "EUR", "server_hour": 0.3, "others": {}}
    priced = manifest.model_copy(update={"experiment": manifest.experiment | {"cost": cost}})
    store.write_json(folder / "manifest.json", priced)
    return open_run(folder)


@pytest.fixture(scope="module")
def page(run: Run, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_html(run, tmp_path_factory.mktemp("page") / "report.html").read_text()


def _tables(run: Run) -> dict[str, Table]:
    data = Data(run, compared(run))
    return {table.caption: table for table in solutions.chapter(data).every_table}


def _words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page)).replace("\N{NO-BREAK SPACE}", " ")


def test_solutions_with_the_same_facts_share_a_column(run: Run) -> None:
    facts = next(
        table for name, table in _tables(run).items() if name.startswith("Properties of each solution")
    )
    assert facts.columns == ["Property", "calm, split"]
    assert ["In a partition", "both sides go on"] in facts.rows
    assert len(facts.rows) == 10
    sources = _tables(run)["Sources of these properties"]
    assert sources.rows == [["calm, split", "Manual, 5.4"]]


def test_missing_figures_are_a_dash(run: Run) -> None:
    taken = _tables(run)["Resources of each solution"]
    rows = {row[0]: dict(zip(taken.columns, row, strict=True)) for row in taken.rows}
    assert rows["calm"]["Hosts"] == "2 nodes"
    assert rows["calm"]["Idle memory, MB per node"] == "110"
    assert rows["calm"]["PSS, MB per node"] == "55.0"
    assert rows["calm"]["Idle CPU, % of a core per node"] == "2.00"
    assert rows["unknown"]["Idle memory, MB per node"] == rows["unknown"]["Hosts"] == NOTHING


def test_costs_need_prices(run: Run, tmp_path: Path) -> None:
    cost = _tables(run)["Cost"]
    assert cost.columns[-2:] == ["EUR per hour", "EUR per thousand transactions"]
    assert [row[0] for row in cost.rows] == ["calm", "split"]
    assert cost.rows[0][2] == "0.600"
    bare = open_run(write_run(tmp_path / "run", SIDE_BY_SIDE))
    assert "Cost" not in _tables(bare) or not _tables(bare)["Cost"].rows
    assert "thousand transactions" not in write_html(bare).read_text()


def test_a_split_brain_is_loud(run: Run, page: str) -> None:
    (alarm,) = alarms(analyse(run))
    assert alarm.startswith("split had a split brain in 2 of 2 trials")
    words = _words(page)
    assert page.index('class="alarm"') < page.index('id="decision"')
    assert words.index("Split brain split had a split brain") < words.index("Recommended solution")
    assert 'href="#split"' in page and 'id="split"' in page
    assert "SPLIT BRAIN: node1 and node2 take writes" in words
    rows = {row["Solution"]: row["Split brain"] for row in summary_rows(run)}
    assert rows == {"calm": NOTHING, "split": "2 of 2 trials", "unknown": NOTHING}


def test_problems_precede_the_figures(page: str) -> None:
    assert page.index('id="decision"') < page.index('id="problems"') < page.index('id="summary"')
    words = _words(page)
    assert "Split brain in 2 trials, lost rows in 2 trials and failed in 2 trials." in words
    assert "the power switch of node1 did not answer: try 17 of 20" in words


def test_texts_of_solutions_are_escaped(page: str) -> None:
    assert "by &lt;log&gt;" in page and "<log>" not in page


def test_exports_have_it_all(run: Run) -> None:
    found = json.loads(tables(run, "json"))
    solutions = {one["solution"]: one for one in found["solutions"]}
    assert solutions["calm"]["facts"]["partition"] == "both sides go on"
    assert solutions["unknown"]["facts"] is None
    assert {one["solution"] for one in found["loaded"]} == {"calm", "split"}
    assert found["loaded"][0]["cost"]["currency"] == "EUR"
    assert {one["kind"] for one in found["troubles"]} == {"split brain", "lost rows", "failed"}
    split = next(cell for cell in found["cells"] if cell["solution"] == "split")
    assert split["split_brains"][0]["nodes"] == ["node1", "node2"]
    text = tables(run, "md")
    assert text.index("SPLIT BRAIN: split") < text.index("## Tables")
    assert "**Resources of each solution**" in text
    assert ",split_brain_trials" in tables(run, "csv").splitlines()[0]
