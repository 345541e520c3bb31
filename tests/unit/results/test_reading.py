"""Tables that are kept for several queries: the same rows, read once."""

from pathlib import Path

import duckdb
import numpy as np
import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.results import reading
from fivenines.results.reading import computed_once, kept, rows_of
from fivenines.results.store import StoredTrial, open_run, query, table_path

SQL = "SELECT trial, slot_ms, source, reads_ok, writes_ok FROM rows"


@pytest.fixture
def trials(tmp_path: Path) -> list[StoredTrial]:
    return open_run(write_run(tmp_path / "run", Matrix([Recipe("a"), Recipe("b")], trials=2))).complete


def _same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def test_kept_tables_have_the_rows_of_the_files_in_their_order(trials: list[StoredTrial]) -> None:
    for mixed in (False, True):
        expected = query(trials, "timeline", SQL, mixed), query(trials[1:], "timeline", SQL, mixed)
        with kept([trial.folder for trial in trials]):
            assert _same(query(trials, "timeline", SQL, mixed), expected[0])
            assert _same(query(trials[1:], "timeline", SQL, mixed), expected[1]), "of some of the trials"


def test_a_kept_table_is_read_once(trials: list[StoredTrial]) -> None:
    with kept([trial.folder for trial in trials]):
        before = query(trials, "timeline", SQL)
        for trial in trials:
            path = table_path(trial.folder, "timeline")
            path.write_bytes(b"x" * path.stat().st_size)
        assert _same(query(trials, "timeline", SQL), before)
    with (
        pytest.raises(duckdb.Error),
        rows_of([table_path(trials[0].folder, "timeline")]) as (to, sql, values),
    ):
        to.execute(sql, values)


def test_other_trials_and_large_tables_are_not_kept(
    trials: list[StoredTrial], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [table_path(trial.folder, "timeline") for trial in trials]
    with kept([trial.folder for trial in trials[1:]]), rows_of(paths) as (_, sql, values):
        assert "read_parquet" in sql and values == [[str(path) for path in paths], False]
    monkeypatch.setattr(reading, "_MOST_KEPT", 10)
    with kept([trial.folder for trial in trials]), rows_of(paths) as (_, sql, _):
        assert "read_parquet" in sql


def test_results_are_computed_once_only_while_tables_are_kept() -> None:
    calls: list[str] = []
    for _ in range(2):
        computed_once("key", lambda: calls.append("outside"))
    with kept([]):
        for key in ("key", "key", "other"):
            computed_once(key, lambda key=key: calls.append(key))  # type: ignore[misc]
    assert calls == ["outside", "outside", "key", "other"]
