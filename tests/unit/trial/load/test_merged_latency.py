"""Latency logs of several loads as one: what all took together, not a mean of what each took."""

from pathlib import Path

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from fivenines.analysis.performance.latency import read_latencies
from fivenines.base.errors import FiveninesError
from fivenines.trial.load.merged_latency import connect_times, merge_logs

Second = dict[str, list[int]]


def _write(path: Path, seconds: list[Second], late: float = 0.0) -> Path:
    lines = ["#[Histogram log format version 1.3]\n"]
    for number, second in enumerate(seconds):
        for tag, values in second.items():
            # as the generator does: no room for more than it has seen
            histogram = HdrHistogram(1, max(2, *values) * 2, 3)
            for value in values:
                histogram.record_value(value)
            start = number + (late if number else 0.0)
            data = histogram.encode().decode()
            lines.append(f"Tag={tag},{start:.3f},{1.0:.3f},{max(values):.3f},{data}\n")
    path.write_text("".join(lines))
    return path


values = st.lists(st.integers(1, 5_000_000), min_size=1, max_size=30)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(values, values), min_size=1, max_size=3))
def test_percentiles_are_those_of_all_operations(
    tmp_path_factory: pytest.TempPathFactory, seconds: list[tuple[list[int], list[int]]]
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    logs = {
        _write(folder / "a", [{"transaction": a} for a, _ in seconds]): ["rw"],
        _write(folder / "b", [{"transaction": b} for _, b in seconds], 0.004): ["rw"],
    }
    merge_logs(logs, folder / "all")
    result = read_latencies(folder / "all", "transaction", 0, 1000.0 * len(seconds))["transaction"]
    every = sorted(value for second in seconds for part in second for value in part)
    assert result.n == len(every)
    assert result.seconds == pytest.approx(len(seconds))
    assert result.max == pytest.approx(every[-1] / 1000, rel=0.002)
    for quantile, got in ((50, result.p50), (99, result.p99)):
        rank = max(1, int(quantile / 100 * len(every) + 0.5))
        assert got == pytest.approx(every[rank - 1] / 1000, rel=0.002, abs=0.001)
    assert result.mean == pytest.approx(np.mean(every) / 1000, rel=0.002, abs=0.001)


def test_the_merged_one_is_no_mean_of_percentiles(tmp_path: Path) -> None:
    fast, slow = [1000] * 990, [100_000] * 10
    logs = {
        _write(tmp_path / "a", [{"transaction": fast}]): ["rw"],
        _write(tmp_path / "b", [{"transaction": slow}]): ["rw"],
    }
    merge_logs(logs, tmp_path / "all")
    result = read_latencies(tmp_path / "all", "transaction", 0, 1000)["transaction"]
    assert result.p50 == pytest.approx(1.0, rel=0.01)
    assert result.p999 == pytest.approx(100.0, rel=0.01)


def test_other_tags_stay_and_a_single_type_gets_its_own(tmp_path: Path) -> None:
    two = {"transaction": [1, 2], "transaction.x": [1], "transaction.y": [2]}
    logs = {
        _write(tmp_path / "a", [{"transaction": [1000], "connect": [7]}]): ["reads"],
        _write(tmp_path / "b", [two]): ["x", "y"],
    }
    merge_logs(logs, tmp_path / "all")
    latencies = read_latencies(tmp_path / "all", "transaction", 0, 1000)
    counts = {tag: item.n for tag, item in latencies.items()}
    assert counts == {"transaction": 3, "transaction.reads": 1, "transaction.x": 1, "transaction.y": 1}
    assert read_latencies(tmp_path / "all", "connect", 0, 1000)["connect"].n == 1


def test_connecting_is_told_of_all_clients_together(tmp_path: Path) -> None:
    ann = _write(tmp_path / "ann", [{"connect": [1000] * 99}, {"connect": [1000]}])
    bob = _write(tmp_path / "bob", [{"connect": [90_000] * 99, "transaction": [5]}])
    merge_logs({ann: ["t"], bob: ["t"]}, tmp_path / "all")
    result = connect_times(tmp_path / "all")
    assert result == pytest.approx({"p50_ms": 1.0, "p99_ms": 90.0}, rel=1e-2)
    quiet = _write(tmp_path / "quiet", [{"transaction": [5]}])
    assert connect_times(quiet) == {}


def test_a_damaged_log_is_told(tmp_path: Path) -> None:
    good = _write(tmp_path / "a", [{"transaction": [5]}])
    bad = tmp_path / "b"
    bad.write_text("Tag=transaction,0.000,1.000,1.000,HISTFAAAnonsense\n")
    with pytest.raises(FiveninesError, match="damaged"):
        merge_logs({good: ["x"], bad: ["x"]}, tmp_path / "all")
