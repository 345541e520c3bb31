"""The cells of a run against each other."""

from dataclasses import replace
from pathlib import Path

from synthetic_run import MARIADB, QUICKSTART, Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.analysis.comparisons import comparisons
from fivenines.results.store import open_run


def test_faster_solution_is_found(tmp_path: Path) -> None:
    quick = open_run(write_run(tmp_path / "quick", QUICKSTART))
    texts = [item.text for item in comparisons(analyse(quick)) if item.metric == "throughput"]
    assert len(texts) == 1
    assert "1-safe (local) is" in texts[0]
    assert "faster than 2-safe (on)" in texts[0]


def test_service_that_did_not_come_back_is_compared_as_far_as_is_proven(tmp_path: Path) -> None:
    matrix = replace(MARIADB, workloads=["oltp_read_write"], connections=[8], broken=0)
    cells = analyse(open_run(write_run(tmp_path / "run", matrix)))
    standalone = cells[0]
    assert standalone.key.solution == "standalone"
    assert (standalone.writes.not_recovered, standalone.failover.not_recovered) == (3, 3)
    assert (standalone.failover.summary.n, standalone.failover.summary.bounds) == (3, 3)
    result = {
        c.b.solution: c
        for c in comparisons(cells)
        if c.metric == "outage of writes" and c.a.solution == "standalone"
    }
    assert len(result) == 3
    first = result["replication asynchronous"]
    assert (first.difference.low or 0) > 5000 and first.difference.high is None
    assert first.text.startswith("standalone is at least 5.")
    assert first.text.endswith("standalone did not recover in 3 of 3 trials).")
    galera = cells[-1]
    assert galera.bottlenecks[0] == (
        "the load generator may have been the limit: it used 99 % of a core and its timers were"
        " 1.2 ms late (p99)"
    )


def test_phases_are_compared_where_both_have_them(tmp_path: Path) -> None:
    recipes = [
        Recipe("quick", outage=2000.0),
        Recipe("slow", outage=5000.0),
        Recipe("alone", outage=3000.0, decides=False),
        Recipe("gone", outage=None),
    ]
    cells = analyse(open_run(write_run(tmp_path / "run", Matrix(recipes))))
    pairs = {
        name: {(c.a.solution, c.b.solution) for c in comparisons(cells) if c.metric == name}
        for name in ("time until the load writes again", "failover: detect")
    }
    assert pairs["failover: detect"] == {("quick", "slow")}
    assert len(pairs["time until the load writes again"]) == 6
    (result,) = [c for c in comparisons(cells) if c.metric == "failover: detect"]
    assert "shorter than slow" in result.text
