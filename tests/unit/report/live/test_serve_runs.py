"""Which runs there are, and how one is continued from the page."""

import sys
import threading
from pathlib import Path

import pytest
from cli_support import write_run

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.report.live import runs
from fivenines.report.live.launch import Launcher
from fivenines.report.live.runs import Runs
from fivenines.results import claims, layout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_run("small-20260102-101500", {"name": "small", "trials": 2})


def test_runs_are_listed_with_how_far_they_are(folder: Path) -> None:
    (folder.parent / "no-run").mkdir()
    (only,) = Runs(folder.parent).listed()
    assert (only["name"], only["done"], only["planned"], only["running"]) == (folder.name, 1, 2, False)
    with claims.claimed(folder):
        assert Runs(folder).listed()[0]["running"]
    assert Runs(folder.parent / "later").listed() == []


def test_a_name_leads_nowhere_else(folder: Path) -> None:
    found = Runs(folder.parent)
    assert found.find(folder.name) == folder
    for name in ("..", ".", f"../{folder.parent.name}/{folder.name}", str(folder), "no-run", ""):
        with pytest.raises(UsageError, match="unknown run"):
            found.find(name)


def test_a_run_is_continued_as_it_was_begun(folder: Path) -> None:
    (folder / layout.SOURCE).write_text("name: small\n")
    file = Path("small.yaml").absolute()
    file.touch()
    options = {"file": str(file), "trials": 5, "only": ["pair"], "threshold": ["lost = 0"]}
    begin = [sys.executable, "-m", "fivenines", "run", "--resume", "--progress", "plain"]
    assert runs.command(folder, options) == [
        *begin,
        f"--out={folder.absolute()}",
        "--trials=5",
        "--only=pair",
        "--threshold=lost = 0",
        "--",
        str(file),
    ]
    # of an older run nothing is known, and its file may be gone: the run has a copy
    for unknown in ({}, {**options, "file": "/gone.yaml", "trials": "--junit=x", "only": None}):
        assert runs.command(folder, unknown)[-1] == str((folder / layout.SOURCE).absolute())
        assert not any("junit" in word for word in runs.command(folder, unknown))


def test_a_run_that_goes_on_is_not_continued(folder: Path) -> None:
    with claims.claimed(folder), pytest.raises(UsageError, match="is already running: process"):
        runs.resume(folder, {})


def test_why_a_run_was_not_continued_is_reported(folder: Path) -> None:
    (folder / layout.SOURCE).write_text("name: 1\nsolutions: [nothing-known]\n")
    with pytest.raises(FiveninesError, match="was not continued: "):
        runs.resume(folder, {})
    assert "error: " in (folder / layout.RESUME_LOG).read_text()


def test_work_is_done_by_the_thread_that_waits_for_it() -> None:
    def refuse() -> None:
        raise UsageError("it runs already")

    launcher, seen = Launcher(), []
    waiting = threading.Thread(target=launcher.serve)
    waiting.start()
    launcher.do(lambda: seen.append(threading.current_thread()))
    with pytest.raises(UsageError, match="runs already"):
        launcher.do(refuse)
    launcher.end()
    waiting.join(5.0)
    assert seen == [waiting]
