"""The chapters on stale reads and isolation of a synthetic run."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import QUICKSTART, TRUTH, write_run

from fivenines.analysis.consistency.isolation.lists import SEVERITY
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.wording import NOTHING, THIN
from fivenines.report.chapters.consistency import isolation, truth
from fivenines.report.chapters.data import Data
from fivenines.report.charts.cycle import MOST, cycle_svg
from fivenines.report.export.documents import tables
from fivenines.report.html.page import render
from fivenines.report.sentences.answers import answers
from fivenines.report.terminal.terminal import blocks
from fivenines.results.store import open_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("truth") / "run", TRUTH)


@pytest.fixture(scope="module")
def data(folder: Path) -> Data:
    run = open_run(folder)
    return Data(run, compared(run))


def test_stale_reads_by_endpoint_with_their_ages(data: Data) -> None:
    table = truth.read_table(data)
    by_name = {(row[0], row[2]): row for row in table.rows}
    assert by_name["sound", "node2:5432"][4:6] == ["0", "0"]
    odd = by_name["odd <replica>", "node2:5432"]
    # 100 ms behind with a write every 20 ms: the oldest missed one is 90 ms old, or older by a gap of loss
    assert odd[5] == "100" and odd[6].startswith("90")
    assert by_name["odd <replica>", "node1:5432"][4] == "0"
    views = truth.view_table(data)
    assert [row[2] for row in views.rows] == ["node1", "node2", "node1", "node2"]


def test_tables_that_differ_are_named_with_their_keys(data: Data) -> None:
    assert [row[2:] for row in truth.divergence_table(data).rows] == [["3", "0", "0"], ["3", "3", "6"]]
    first = truth.difference_table(data).rows[0]
    assert first[2:] == ["sbtest<1>", "node1: 500, node2: 498", "2", "id 7: not on node2; id 9: not on node2"]
    assert truth.left_out_table(data).rows[0][2:] == ["node3", "still broken"]


def test_execution_latency_of_the_steady_window(data: Data) -> None:
    table = truth.execution_table(data)
    assert table.rows[0][0] == "sound" and table.rows[0][3].startswith("1")


def test_anomalies_are_counted_explained_and_drawn(data: Data) -> None:
    levels = [row[2:3] + row[4:] for row in isolation.level_table(data).rows]
    assert levels == [
        ["lists", "strict serializable", NOTHING],
        ["lists", "strong session snapshot isolation", "G2-item, G-single-realtime"],
        ["registers", "not linearizable", "stale-read-realtime"],
    ]
    rows = isolation.isolation_table(data).rows
    assert [[cell.replace(THIN, " ") for cell in row[2:6]] for row in rows] == [
        ["lists", "3", "6 000", "none"],
        ["bank", "3", "1 500", "wrong-sum"],
        ["lists", "3", "6 000", "G2-item"],
        ["lists", "3", "6 000", "G-single-realtime"],
        ["registers", "3", "900", "stale-read-realtime"],
    ]
    assert [row[7] for row in rows] == ["0", "3", "12", "6", "3"]
    (figure,) = isolation.anomaly_figures(data)
    assert "T3" in figure.svg and "rw 1" in figure.svg and "write skew" in figure.title


def test_every_kind_of_anomaly_has_a_meaning() -> None:
    of_registers = {
        "unknown-value",
        "reads-disagree",
        "early-read",
        *(f"{name}-{order}" for name in ("stale-read", "backwards") for order in ("process", "realtime")),
    }
    assert {*SEVERITY, *of_registers} < set(isolation.MEANINGS)


def test_an_order_of_time_that_was_not_judged_is_no_clean_result(data: Data) -> None:
    (sound,) = (cell for cell in data.cells if cell.key.solution == "sound")
    judged: dict[str, dict[str, int] | None] = {"lists": None, "bank": None, "registers": None}
    truth = replace(sound.truth, anomalies={}, in_time=judged)
    swept = replace(data.swept, cells=[replace(sound, truth=truth)])
    shown = isolation.chapter(Data(data.run, swept))
    assert shown.texts == ["No trial shows a violation of isolation; the order of time was not judged."]
    (row,) = isolation.isolation_table(Data(data.run, swept)).rows
    assert row[5:] == ["none", "the order of time was not judged", "0"]
    assert isolation.chapter(Data(data.run, replace(data.swept, cells=[sound]))).texts == [
        "No trial shows a violation of isolation."
    ]


def test_sentences_name_diverged_nodes_stale_reads_and_anomalies(data: Data) -> None:
    text = " ".join(answer.text for answer in answers(data.cells, data.names))
    assert "odd <replica>: the nodes' tables differ after 3 of 3 trials." in text
    assert "odd <replica> gave strong session snapshot isolation at most (G2-item)." in text
    assert "odd <replica> violated isolation (wrong-sum)." in text
    assert "Registers of odd <replica> were not linearizable (stale-read-realtime)." in text
    assert re.search(r"up to 100 % of the reads through node2:5432 were stale, by at most", text)
    assert "sound: the nodes" not in text


def test_a_terminal_names_the_level_that_is_left(folder: Path) -> None:
    lines = [line for block in blocks(open_run(folder), 100) for line in block.lines]
    assert "odd <replica> gave strong session snapshot isolation at most (G2-item)." in lines


def test_a_search_that_did_not_end_is_said(data: Data) -> None:
    cut = [replace(cell, truth=replace(cell.truth, searched=False)) for cell in data.cells]
    text = " ".join(isolation.isolation_answers(cut))
    assert "gave snapshot isolation at most (G2-item; not all cycles were searched)." in text


def test_the_page_has_both_chapters_and_escapes_names(folder: Path) -> None:
    page = render(open_run(folder))
    assert 'id="truth"' in page and 'id="isolation"' in page
    assert "sbtest&lt;1&gt;" in page and "sbtest<1>" not in page


def test_without_these_measures_the_chapters_are_left_out(tmp_path: Path) -> None:
    page = render(open_run(write_run(tmp_path / "run", QUICKSTART)))
    assert 'id="truth"' not in page and 'id="isolation"' not in page


@pytest.mark.parametrize("n", [1, 2, 3, 12])
def test_drawings_of_cycles_of_any_length(n: int) -> None:
    svg = cycle_svg([(i, f"rw {i} <", (i + 1) % n) for i in range(n)])
    assert svg.count("<rect") == min(n, MOST)
    assert "nan" not in svg and "&lt;" in svg
    assert ("more" in svg) == (n > MOST)
    numbers = [float(value) for value in re.findall(r'[xy]="(-?[\d.]+)"', svg)]
    assert all(-20 <= value <= 420 for value in numbers)


def test_the_export_has_the_same_figures(folder: Path) -> None:
    cells = json.loads(tables(open_run(folder), "json"))["cells"]
    odd = next(cell["truth"] for cell in cells if cell["solution"].startswith("odd"))
    assert (odd["compared"], odd["diverged"], odd["differing"]) == (3, 3, 6)
    assert {"source": "bank", "kind": "wrong-sum", "count": 3} in odd["anomalies"]
    assert [one["name"] for one in odd["endpoints"]] == ["node1:5432", "node2:5432"]
    written = tables(open_run(folder), "md")
    assert "**Violations of isolation**" in written and "id 7: not on node2" in written
