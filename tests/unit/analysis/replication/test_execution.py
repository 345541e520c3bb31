"""Execution latency: what the server's clock says against the client's."""

from pathlib import Path
from typing import Any

import pytest
from checked_record import record
from synthetic_run import write_executed, write_table

from fivenines.analysis.replication import execution
from fivenines.base.errors import FiveninesError
from fivenines.results.records import TrialRecord, Windows

STEADY = Windows(warmup_end=100, steady_end=200, end=300)


def with_windows() -> TrialRecord:
    return record([]).model_copy(update={"windows": STEADY})


def write(id_: int, started: int, outcome: str = "ok", kind: str = "write") -> dict[str, Any]:
    return {
        "id": id_,
        "client": 0,
        "kind": kind,
        "endpoint": "w",
        "started_us": started,
        "completed_us": started + 900,
        "outcome": outcome,
    }


def test_writes_of_the_steady_window_that_succeeded(tmp_path: Path) -> None:
    rows = [write(n, 90_000 + n * 10_000) for n in range(1, 13)]
    rows += [write(50, 150_000, "in_doubt"), write(3, 150_000, kind="read")]
    write_table(tmp_path, "ledger", rows)
    write_executed(tmp_path, {n: 90_000 + n * 10_000 + n * 100 for n in range(1, 13)} | {50: 0})
    result = execution.measure(tmp_path, with_windows())
    assert result is not None
    # ids 1 to 11 begin between 100 and 200 ms; number n took n / 10 ms
    assert result.n == 11
    assert (result.p50, result.max) == pytest.approx((0.6, 1.1))
    assert result.mean == pytest.approx(0.6)


def test_not_measured_without_windows_tables_or_writes(tmp_path: Path) -> None:
    assert execution.measure(tmp_path, with_windows()) is None
    write_table(tmp_path, "ledger", [write(1, 10)])
    assert execution.measure(tmp_path, with_windows()) is None
    write_executed(tmp_path, {1: 20})
    assert execution.measure(tmp_path, with_windows()) is None
    assert execution.measure(tmp_path, record([])) is None


def test_a_damaged_table_is_told(tmp_path: Path) -> None:
    write_executed(tmp_path, {1: 20})
    (tmp_path / "ledger.parquet").write_text("no table")
    with pytest.raises(FiveninesError, match="cannot be read"):
        execution.measure(tmp_path, with_windows())
