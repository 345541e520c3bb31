"""The log read back must be what the package hdrhistogram itself would say."""

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from cli_support import record
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.performance.latency import (
    Latency,
    Merged,
    decoded,
    interval_of,
    intervals,
    latency_window,
    read_latencies,
)
from fivenines.base.errors import FiveninesError
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import Windows


def read_latency(log: Path, tag: str, from_ms: float, until_ms: float) -> Latency | None:
    """Return the response times of one tag; None if there are none."""
    return read_latencies(log, tag, from_ms, until_ms).get(tag)


def write(log: Path, intervals: list[tuple[str, float, float, list[int]]], highest: int) -> None:
    lines = ["#[Histogram log format version 1.3]", '"StartTimestamp","Interval_Length"']
    for tag, start, length, values in intervals:
        histogram = HdrHistogram(1, highest, 3)
        for value in values:
            histogram.record_value(value)
        data = histogram.encode().decode()
        lines.append(f"Tag={tag},{start:.3f},{length:.3f},0.000,{data}")
    log.write_text("\n".join(lines) + "\n")


@given(values=st.lists(st.integers(1, 50_000_000), min_size=1, max_size=200))
def test_measures_are_those_of_hdrhistogram(
    values: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    log = tmp_path_factory.mktemp("log") / "latency.hlog"
    half = len(values) // 2
    write(log, [("t", 0, 1, values[:half]), ("t", 1, 1, values[half:])], 3_600_000_000)
    expected = HdrHistogram(1, 3_600_000_000, 3)
    for value in values:
        expected.record_value(value)
    result = read_latency(log, "t", 0, 2000)
    assert result is not None
    assert result.n == len(values)
    for quantile, reported in (
        (50.0, result.p50),
        (90, result.p90),
        (95, result.p95),
        (99, result.p99),
        (99.9, result.p999),
        (99.99, result.p9999),
    ):
        assert reported * 1000 == pytest.approx(expected.get_value_at_percentile(quantile))
    assert result.max * 1000 == pytest.approx(expected.get_max_value())
    assert result.mean * 1000 == pytest.approx(expected.get_mean_value())


def test_only_whole_intervals_of_the_tag_and_window(tmp_path: Path) -> None:
    log = tmp_path / "latency.hlog"
    intervals = [("t", n, 1.0, [1000 * (n + 1)]) for n in range(6)]
    write(log, [*intervals, ("other", 2, 1.0, [9])], 10_000_000)
    result = read_latency(log, "t", 1000, 4500)
    assert result is not None
    assert (result.n, result.seconds) == (3, 3.0)
    assert result.max == pytest.approx(4.0, rel=1e-3)
    assert read_latency(log, "t", 1200, 1900) is None
    assert read_latency(log, "none", 0, 6000) is None


def test_timers_that_fire_late_do_not_cost_an_interval(tmp_path: Path) -> None:
    log = tmp_path / "latency.hlog"
    write(log, [("t", 0.991, 1.004, [5]), ("t", 1.995, 1.012, [5])], 10_000)
    result = read_latency(log, "t", 1000, 3000)
    assert result is not None
    assert result.n == 2


WORK = {"completed": True, "work": {"from_s": 0.0, "to_s": 0.903}}


@pytest.mark.parametrize(
    ("load", "end", "fault_at", "window"),
    [
        ({}, 4500, None, (0, 4500)),
        ({}, 4500, 3200, (0, 3200)),
        # the generator still waited for the ledger, and wrote a whole second
        (WORK, 903, None, (0, 1000)),
        (WORK, 903, 5000, (0, 1000)),
        (WORK, 500, None, (0, 500)),
        ({**WORK, "completed": False}, 903, None, (0, 903)),
    ],
)
def test_the_second_in_which_fixed_work_ends_counts(
    load: dict[str, Any], end: float, fault_at: float | None, window: tuple[float, float]
) -> None:
    windows = Windows(warmup_end=0, steady_end=end, end=6000)
    trial = record("0001").model_copy(update={"load": LoadSummary.of(load), "windows": windows})
    assert latency_window(trial, fault_at) == window


def test_without_windows_there_is_none() -> None:
    assert latency_window(record("0001"), None) is None


def test_histograms_of_different_ranges_add_up(tmp_path: Path) -> None:
    log = tmp_path / "latency.hlog"
    write(log, [("t", 0, 1, [700])], 10_000)
    text = log.read_text()
    write(log, [("t", 1, 1, [900_000])], 3_600_000_000)
    log.write_text(text + log.read_text() + text.replace("0.000,1.000", "2.000,1.000"))
    result = read_latency(log, "t", 0, 3000)
    assert result is not None
    assert result.n == 3
    assert result.p50 == pytest.approx(0.7, rel=1e-3)
    assert result.max == pytest.approx(900, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("garbage\n", "a line is no histogram: 'garbage'"),
        ("Tag=t,0.0,1.0,0.0,HISTFAAAA!\n", "a histogram cannot be decoded"),
    ],
)
def test_a_damaged_log_is_named(tmp_path: Path, text: str, message: str) -> None:
    log = tmp_path / "latency.hlog"
    log.write_text(text)
    with pytest.raises(FiveninesError, match=message):
        read_latency(log, "t", 0, 1000)


def test_a_missing_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match="latencies cannot be read"):
        read_latency(tmp_path / "latency.hlog", "t", 0, 1000)


@given(
    values=st.lists(st.integers(1, 50_000_000), max_size=100),
    bounds=st.lists(st.integers(1, 60_000_000), min_size=1, max_size=8),
)
def test_merged_intervals_are_counted_up_to_bounds(values: list[int], bounds: list[int]) -> None:
    histogram = HdrHistogram(1, 3_600_000_000, 3)
    for value in values:
        histogram.record_value(value)
    merged = Merged()
    interval = interval_of(f"Tag=t,0.000,1.000,0.000,{histogram.encode().decode()}")
    assert interval is not None
    merged.add(Path("log"), interval)
    counts, total = merged.cumulated([*sorted(bounds), 2**62])
    assert counts == sorted(counts) and counts[-1] == len(values)
    assert total == pytest.approx(sum(values), rel=1e-3)
    for bound, count in zip(sorted(bounds), counts, strict=False):
        # a counter stands for values that differ by a thousandth at most
        low = sum(1 for value in values if value <= bound * 0.998)
        high = sum(1 for value in values if value <= bound * 1.002 + 1)
        assert low <= count <= high


def test_a_line_that_is_no_histogram_is_none() -> None:
    assert interval_of("#[StartTime: 1.0 (seconds since epoch)]") is None


def test_a_histogram_is_freed_without_the_garbage_collector(tmp_path: Path) -> None:
    log = tmp_path / "latency.hlog"
    write(log, [("transaction", 0.0, 1.0, [100])], 60_000_000)
    (interval,) = intervals(log)
    gc.disable()
    try:
        histogram = decoded(log, interval.data)
        known = weakref.ref(histogram)
        del histogram
        assert known() is None
    finally:
        gc.enable()
