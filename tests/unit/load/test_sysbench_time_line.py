"""sysbench's seconds as slots: what is exact, and what is spread."""

import csv
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.performance.latency import read_latencies
from fivenines.load.sysbench_output import RESOLUTION, Output, Report, Second
from fivenines.load.sysbench_time_line import TIME_LINE, slots, write_latencies, write_time_line
from fivenines.results import store


def second(at: float, tps: float) -> Second:
    return Second(at, tps, tps * 20, tps * 14, 5.0, 0.0)


def report(at: float, transactions: int) -> Report:
    return Report(at, transactions, transactions * 20, transactions * 14, 0, 0, 0.1, 1.0, 9.0)


WHOLE = st.integers(0, 50_000)


@given(
    st.lists(st.floats(0, 50_000), min_size=0, max_size=12),
    WHOLE,
    WHOLE,
    st.integers(0, 4),
    st.integers(1, 6),
    st.floats(0, 2),
)
def test_the_sums_are_those_of_the_reports(
    rates: list[float], before: int, after: int, warmup: int, steady: int, late: float
) -> None:
    end = warmup + steady
    seconds = [second(number + 1, rate) for number, rate in enumerate(rates[:end])]
    reports = [report(warmup, before)] if warmup else []
    reports.append(report(end + late, after))
    found = slots(seconds, reports, warmup, end, "transactions")
    assert (found >= 0).all()
    split = warmup * 100
    assert found[:split].sum() == (before if warmup else 0)
    assert found[split:].sum() == after


def test_what_ends_after_the_time_stands_behind_it() -> None:
    # 1,010 in 10.1 s: 1,000 of them within the 10 s
    found = slots(
        [second(n + 1, 100) for n in range(12)], [report(2, 200), report(12.1, 1010)], 2, 12, "transactions"
    )
    assert found[200:1200].sum() == 1000
    assert found[1200:].sum() == 10


def test_seconds_have_the_shape_of_the_lines() -> None:
    rates = [100.0, 400.0, 0.0, 500.0]
    found = slots([second(n + 1, rate) for n, rate in enumerate(rates)], [report(4, 1000)], 0, 4, "queries")
    assert [int(part.sum()) for part in np.split(found, 4)] == [2000, 8000, 0, 10_000]


def test_a_line_that_did_not_come_is_reported_by_the_next() -> None:
    # a busy machine: two seconds in one line
    found = slots([second(1, 100), second(3, 50)], [report(3, 200)], 0, 3, "transactions")
    assert [int(part.sum()) for part in np.split(found, 3)] == [100, 50, 50]


def test_the_time_line_becomes_a_table(tmp_path: Path) -> None:
    output = Output(seconds=[second(1, 100), second(2, 100)], reports=[report(1, 100), report(2, 100)])
    for writes in (True, False):
        write_time_line(tmp_path / TIME_LINE, output, 1, 2, writes)
        rows = list(csv.DictReader((tmp_path / TIME_LINE).open()))
        assert store.csv_to_parquet(tmp_path / TIME_LINE, tmp_path / "t.parquet", "timeline") == 200
        sums = {name: sum(int(row[name]) for row in rows) for name in rows[0] if name != "source"}
        assert sums["transactions_ok"] == 200
        assert (sums["queries_ok"], sums["reads_ok"]) == (4000, 2800)
        assert sums["writes_ok"] == (200 if writes else 0)
        assert {row["source"] for row in rows} == {"load"}


@given(st.lists(st.tuples(st.integers(10, 10**7), st.integers(1, 1000)), min_size=1, max_size=20))
def test_percentiles_are_those_of_the_histogram(buckets: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        times = [(value / 1000, count) for value, count in sorted(dict(buckets).items())]
        write_latencies(Path(folder), Output(histogram=times), 1e9, 2, 7)
        log = Path(folder) / "latency.hlog"
        found = read_latencies(log, "transaction", 2000, 7000)["transaction"]
        # not those of another window
        assert not read_latencies(log, "transaction", 0, 2000)
    n = sum(count for _, count in times)
    assert found.n == n
    every = np.repeat([ms for ms, _ in times], [count for _, count in times])
    wanted = every[max(1, int(0.95 * n + 0.5)) - 1]
    assert found.p95 == pytest.approx(wanted, rel=RESOLUTION, abs=0.001)
    assert found.mean == pytest.approx(float(every.mean()), rel=RESOLUTION, abs=0.001)
    assert found.seconds == 5
