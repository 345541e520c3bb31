"""The chapter on distance, from invented runs."""

from pathlib import Path
from typing import Any

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.performance.sweeps import compared
from fivenines.report import write_html
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance.distance import figures, wire_table
from fivenines.report.charts import conditions
from fivenines.results.store import open_run

RECIPES = [Recipe("async", tps=1000), Recipe("2-safe", tps=300)]


def _networks(*rtts: int) -> list[dict[str, Any]]:
    return [
        {"name": f"wan {rtt} ms", "sites": {"a": [], "b": []}, "link": {"rtt": f"{rtt}ms"}} for rtt in rtts
    ]


def _matrix(*rtts: int) -> Matrix:
    return Matrix(RECIPES, faults=["none"], networks=_networks(*rtts), trials=2)


def test_speed_over_distance_has_a_line_and_rows_for_each_solution(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", _matrix(0, 1, 100)))
    speed, times = figures(Data(run, compared(run)))
    assert speed.title == "Throughput against distance"
    assert times.title == "Response time, 95th percentile against distance"
    assert [row[:2] for row in speed.table.rows] == [
        [name, rtt] for name in ("async", "2-safe") for rtt in ("0 ms", "1.00 ms", "100 ms")
    ]
    assert speed.finding.startswith("From 0 ms to 100 ms, the throughput changes by: ")
    assert "round trip, ms" in speed.svg and "2-safe" in speed.svg
    assert 'id="distance"' in write_html(run).read_text()


def test_one_distance_is_no_chart_and_no_sites_no_chapter(tmp_path: Path) -> None:
    near = open_run(write_run(tmp_path / "near", _matrix(5)))
    data = Data(near, compared(near))
    assert figures(data) == []
    assert wire_table(data).rows == []
    assert 'id="distance"' not in write_html(near).read_text()


def test_all_round_trips_may_be_the_same_in_other_workloads(tmp_path: Path) -> None:
    matrix = Matrix(RECIPES, ["x", "y"], [1, 8], ["none"], _networks(1, 10), trials=1)
    run = open_run(write_run(tmp_path / "run", matrix))
    titles = [figure.title for figure in figures(Data(run, compared(run)))]
    assert len(titles) == len(set(titles)) == 8
    assert "Throughput against distance: x, 8 connections" in titles


def test_without_faults_the_decision_is_drawn_over_distance(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", _matrix(0, 1, 100)))
    data = Data(run, compared(run))
    assert [one.title for one in conditions.figures(data)] == ["Throughput against distance"]
    broken = Matrix(RECIPES, faults=["kill"], networks=_networks(0, 100), trials=2)
    other = open_run(write_run(tmp_path / "broken", broken))
    # the chart of speed against outage says more there
    assert conditions.figures(Data(other, compared(other))) == []


def test_with_one_network_the_decision_is_drawn_over_connections(tmp_path: Path) -> None:
    matrix = Matrix(RECIPES, connections=[1, 8], faults=["none"], trials=2)
    run = open_run(write_run(tmp_path / "run", matrix))
    (drawn,) = conditions.figures(Data(run, compared(run)))
    assert drawn.title == "Throughput" and "connections" in drawn.svg
    alone = open_run(write_run(tmp_path / "one", Matrix(RECIPES, faults=["none"], trials=2)))
    assert conditions.figures(Data(alone, compared(alone))) == []
