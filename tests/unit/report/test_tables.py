"""Tables for other programs, and the summary for the terminal."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import MARIADB, QUICKSTART, write_run

from fivenines.report import summary_rows, tables
from fivenines.report.chapters.settings import flatten
from fivenines.report.table import Table, ranges, without_empty
from fivenines.results.store import open_run


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "quick", QUICKSTART)


def test_summary_rows(quick: Path) -> None:
    rows = summary_rows(quick)
    assert rows == summary_rows(open_run(quick))
    assert list(rows[0]) == [
        "Solution",
        "Workload",
        "Connections",
        "Trials",
        "Transactions/s",
        "p95 response",
        "Outage, writes",
        "Total, writes",
        "Outage, reads",
        "Failover time",
        "Lost rows",
    ]
    assert [row["Solution"] for row in rows] == ["1-safe (local)", "2-safe (on)"]
    assert rows[1]["Lost rows"] == "0 (in 3 trials)"
    assert rows[0]["Trials"] == "3"


def test_the_summary_shows_missing_trials(tmp_path: Path) -> None:
    rows = summary_rows(write_run(tmp_path / "run", MARIADB))
    assert any("broken)" in row["Trials"] for row in rows)
    standalone = rows[0]
    assert "(not recovered in 3 of 3 trials)" in standalone["Outage, writes"]
    assert "(not recovered in 3 of 3 trials)" in standalone["Failover time"]


def test_csv_has_a_line_for_each_cell(quick: Path) -> None:
    lines = list(csv.DictReader(io.StringIO(tables(quick, "csv"))))
    assert [line["solution"] for line in lines] == ["1-safe (local)", "2-safe (on)"]
    assert float(lines[0]["tps_mean"]) == pytest.approx(1450, rel=0.1)
    assert float(lines[0]["outage_writes_ms_ci_low"]) < float(lines[0]["outage_writes_ms_mean"])
    assert lines[1]["lost_total"] == "0"


def test_json_is_json_and_has_the_points(quick: Path) -> None:
    data = json.loads(tables(quick, "json"))
    assert len(data["cells"]) == 2
    assert len(data["cells"][0]["outage_writes_trials"]) == 3
    assert data["cells"][1]["loss"]["upper_bound"] == pytest.approx(0.632, abs=1e-3)
    assert {row["metric"] for row in data["differences"]} >= {"throughput", "outage of writes"}
    assert data["broken"] == []


def test_markdown_tables_are_even(quick: Path) -> None:
    text = tables(quick, "md")
    assert text.startswith("# Synthetic run (invented figures, for tests)\n")
    blocks = [block for block in text.split("\n\n") if block.startswith("| ")]
    assert len(blocks) >= 6
    for block in blocks:
        assert len({line.count("|") for line in block.strip().splitlines()}) == 1


def test_markdown_escapes_bars() -> None:
    assert "| a\\|b |" in Table("c", ["x"], [["a|b"]]).markdown()


def test_an_empty_column_is_left_out() -> None:
    table = Table("c", ["a", "b", "n"], [["x", "", "1"], ["y", "", "2"]], 2, frozenset({2}))
    slim = without_empty(table, "b")
    assert (slim.columns, slim.rows) == (["a", "n"], [["x", "1"], ["y", "2"]])
    assert (slim.headers, slim.numeric) == (1, frozenset({1}))
    assert without_empty(table, "a") is table


@given(st.sets(st.integers(0, 200), min_size=1))
def test_ranges_name_every_id(ids: set[int]) -> None:
    named: set[int] = set()
    for part in ranges(ids, limit=1000).split(", "):
        low, _, high = part.partition(" to ")
        named |= set(range(int(low), int(high or low) + 1))
    assert named == ids


def test_long_ranges_are_counted() -> None:
    assert ranges([1, 3, 5, 7, 8, 9], limit=2) == "1, 3 and 4 more"
    assert ranges([]) == ""
    assert ranges([4, 5]) == "4, 5"


def test_settings_are_flattened() -> None:
    settings = {"a": {"b": [1, 2], "c": None}, "d": [{"e": True}, {"e": ""}], "f": {}}
    assert flatten(settings) == [
        ("a.b", "1, 2"),
        ("a.c", "not set"),
        ("d[0].e", "yes"),
        ("d[1].e", "empty"),
        ("f", "empty"),
    ]
