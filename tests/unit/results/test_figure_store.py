"""The store of figures: what was written under a key comes back, and nothing else."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.results import figure_store
from fivenines.results.figure_store import Row

KINDS = st.sampled_from(["measures", "lag", "use"])
TRIALS = st.text(min_size=1, max_size=8)


@given(st.dictionaries(st.tuples(KINDS, TRIALS), st.tuples(TRIALS, st.binary(max_size=200)), max_size=8))
def test_only_what_was_written_under_a_key_comes_back(
    content: dict[tuple[str, str], tuple[str, bytes]],
) -> None:
    rows = [Row(kind, trial, key, data) for (kind, trial), (key, data) in content.items()]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder)
        for _ in range(2):
            assert figure_store.write(run, rows)
        for row in rows:
            assert figure_store.read(run, row.kind, {row.trial: row.key}) == {row.trial: row.data}
            assert figure_store.read(run, row.kind, {row.trial: f"{row.key}x"}) == {}
            assert figure_store.read(run, "another", {row.trial: row.key}) == {}


def test_without_a_store_there_is_nothing(tmp_path: Path) -> None:
    assert figure_store.read(tmp_path, "measures", {"0001": "key"}) == {}
    assert not list(tmp_path.iterdir()), "reading creates no file"


def test_a_store_that_another_process_begins_stays(tmp_path: Path) -> None:
    rows = [Row("measures", "0001", "key", b"figures")]
    (tmp_path / "cache").mkdir()
    with closing(sqlite3.connect(tmp_path / "cache" / "figures.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert figure_store.read(tmp_path, "measures", {"0001": "key"}) == {}
        other.execute("CREATE TABLE begun (x)")
        other.execute("COMMIT")
        assert figure_store.write(tmp_path, rows)
        assert other.execute("SELECT count(*) FROM figures").fetchone() == (1,), "it is the same file"


def test_a_folder_in_the_cache_does_not_keep_figures_from_being_stored(tmp_path: Path) -> None:
    (tmp_path / "cache" / "notes.d").mkdir(parents=True)
    assert figure_store.write(tmp_path, [Row("measures", "0001", "key", b"figures")])
    assert (tmp_path / "cache" / "notes.d").is_dir()


def test_where_no_folder_can_be_made_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    assert not figure_store.write(tmp_path, [Row("measures", "0001", "key", b"")])
    assert figure_store.read(tmp_path, "measures", {"0001": "key"}) == {}


def test_a_store_that_another_process_locks_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Row("measures", "0001", "key", b"figures")]
    assert figure_store.write(tmp_path, rows)
    monkeypatch.setattr(figure_store, "_PATIENCE", 0.0)
    with closing(sqlite3.connect(tmp_path / "cache" / "figures.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert figure_store.read(tmp_path, "measures", {"0001": "key"}) == {}
        assert not figure_store.write(tmp_path, rows)
    assert figure_store.read(tmp_path, "measures", {"0001": "key"}) == {"0001": b"figures"}
