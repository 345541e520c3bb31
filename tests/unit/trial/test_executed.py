"""The server's moments of execution on the load's clock."""

from pathlib import Path

import duckdb

from fivenines.results.load_summary import LoadSummary
from fivenines.trial.executed import keep_executed


def test_moments_are_counted_from_the_start_of_the_load(tmp_path: Path) -> None:
    load = LoadSummary.of({"started_unix_ns": 1_700_000_000_000_000_999, "started_monotonic_ns": 5})
    keep_executed(tmp_path, [(1, 1_700_000_000_000_250), (2, 1_700_000_000_002_000)], load)
    with duckdb.connect() as connection:
        rows = connection.execute(f"FROM '{tmp_path / 'executed.parquet'}' ORDER BY id").fetchall()
    assert rows == [(1, 250), (2, 2000)]
    assert [file.name for file in tmp_path.iterdir()] == ["executed.parquet"]


def test_without_a_start_nothing_is_guessed(tmp_path: Path) -> None:
    keep_executed(tmp_path, [(1, 2)], LoadSummary())
    assert list(tmp_path.iterdir()) == []
