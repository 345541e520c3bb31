"""Runs on shared storage: whole or not there, asked in SQL where they are."""

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from synthetic_run import QUICKSTART, write_run

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.campaign.copies import Copies, copy_all
from fivenines.results import layout, query
from fivenines.results.records import TrialRecord
from fivenines.results.storage import Storage
from fivenines.results.store import open_run
from fivenines.trial.progress import Figures, TrialFinished


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of six trials."""
    return write_run(tmp_path_factory.mktemp("runs") / "first", QUICKSTART)


@pytest.fixture
def memory() -> Iterator[Storage]:
    """An object store in memory: no folder can be renamed there."""
    fsspec.filesystem("memory").store.clear()
    yield Storage("memory://shared/runs")
    fsspec.filesystem("memory").store.clear()


def _record(run: Path, trial: str) -> TrialRecord:
    (result,) = [item.record for item in open_run(run).complete if item.record.id == trial]
    return result


def test_what_is_finished_is_copied_and_what_is_left_at_the_end(run: Path, memory: Storage) -> None:
    messages: list[str] = []
    copies = Copies(run, memory, messages.append)
    copies(TrialFinished(_record(run, "0002"), Figures()))
    copies.finish()
    assert memory.trials("first") == {trial.record.id for trial in open_run(run).complete}
    assert (copies.failed, copies.left) == ({}, 0)
    assert memory.filesystem.exists("/shared/runs/first/manifest.json")
    assert copy_all(run, memory, messages.append) == 0


def test_a_trial_counts_once_its_record_is_there(run: Path, memory: Storage) -> None:
    put: list[str] = []
    whole = memory.filesystem.put_file

    def watched(source: str, target: str) -> None:
        put.append(target.rpartition("/")[2])
        whole(source, target)

    memory.filesystem.put_file = watched
    try:
        memory.put(run, "0001")
    finally:
        del memory.filesystem.put_file
    assert put[-1] == layout.TRIAL and put.count(layout.TRIAL) == 1 and len(put) > 3
    memory.filesystem.rm_file("/shared/runs/first/trials/0001/trial.json")
    assert memory.trials("first") == set()


def test_what_cannot_be_copied_is_told_and_tried_again(run: Path, tmp_path: Path) -> None:
    messages: list[str] = []
    where = tmp_path / "shared"
    where.write_text("no folder")
    storage = Storage(str(where))
    copies = Copies(run, storage, messages.append)
    copies(TrialFinished(_record(run, "0001"), Figures()))
    with pytest.raises(FiveninesError, match="cannot be written"):
        copies.finish()
    assert list(copies.failed) == ["0001"] and "fivenines retries at the end of the run" in messages[0]
    where.unlink()
    assert copy_all(run, storage, messages.append) == len(open_run(run).complete)


@pytest.mark.parametrize("url", ["nothing://x/y", "abc::def://"])
def test_what_is_no_place_is_said(url: str) -> None:
    with pytest.raises(UsageError, match=r"supported by fsspec|pip install"):
        Storage(url)


def test_tables_are_asked_where_they_are(run: Path, memory: Storage) -> None:
    copy_all(run, memory, lambda _text: None)
    for place in (str(run), "memory://shared/runs/first"):
        with query.opened(place) as result:
            assert result.tables["timeline"][:2] == ["trial", "slot_ms"]
            assert "trials" in result.tables
            answer = result.ask("SELECT trial, count(*) AS n FROM timeline GROUP BY ALL ORDER BY ALL")
            ids = sorted(trial.record.id for trial in open_run(run).complete)
            assert answer.columns == ["trial", "n"] and [row[0] for row in answer.rows] == ids
            (item,) = result.ask("SELECT count(*) FROM trials").rows
            assert item == (len(ids),)
            with pytest.raises(UsageError, match=r"DuckDB: .*nothing"):
                result.ask("SELECT * FROM nothing")


def test_broken_trials_are_not_asked(tmp_path: Path) -> None:
    run = write_run(tmp_path / "one", QUICKSTART)
    last = max((run / layout.TRIALS).iterdir())
    last.rename(last.with_name(f"{last.name}.broken-1"))
    with query.opened(str(run)) as result:
        rows = result.ask("SELECT DISTINCT trial FROM timeline").rows
    assert (last.name,) not in rows and len(rows) == len(list((run / layout.TRIALS).iterdir())) - 1


def test_where_no_trial_is_there_is_nothing_to_ask(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match="has no complete trial"), query.opened(str(tmp_path)):
        pass
