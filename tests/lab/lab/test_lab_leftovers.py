"""A run leaves nothing behind: neither after its end nor after Ctrl-C or kill -9; and it can be resumed."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from lab_leftovers import RunTraces
from lab_support import GENTLE, HEAD, LIMIT, fivenines, program, timing

from fivenines.lab import limits
from fivenines.results import store

_LIMITS = "limits: {memory: 1GiB, cpus: 1.5}"
_PAIR = f"solutions: [{{solution: hot-standby, name: pair, synchronous_commit: local, {_LIMITS}}}]\n"
# A solution that deploys quickly, for tests that do not depend on the number of servers.
_ONE = f"solutions: [{{solution: standalone, engine: postgres-18, {_LIMITS}}}]\n"


def _start(folder: Path, steady: float, *options: str, solution: str = _PAIR) -> subprocess.Popen[bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    text = HEAD.replace("trials: 1", "trials: 2") + solution + GENTLE + timing(recovery=1, steady=steady)
    (folder / "tiny.yaml").write_text(text)
    (folder / "tmp").mkdir()
    with (folder / "output").open("ab") as log:
        return subprocess.Popen(
            program("run", "tiny.yaml", "--out", "run", *options),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "TMPDIR": str(folder / "tmp")},
        )


def _await_load(folder: Path, trial: str, running: subprocess.Popen[bytes]) -> None:
    """Wait until the load of a trial has written its first figures."""
    deadline = time.monotonic() + LIMIT
    # The observer starts together with the load.
    while not (folder / "run/trials" / f".{trial}.part" / "observed" / "hosts.csv").exists():
        assert running.poll() is None, (folder / "output").read_text()
        assert time.monotonic() < deadline, (folder / "output").read_text()
        time.sleep(0.05)


def _trials(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "run/trials").iterdir())


def test_nothing_is_left_after_the_normal_end(tmp_path: Path) -> None:
    made = RunTraces()
    running = _start(tmp_path, 0.5, "--trials", "1")
    _await_load(tmp_path, "0001", running)
    made.note(running.pid)
    if limits.detect().usable:
        assert made.groups()
    assert len(made.processes) > 10
    assert len(made.namespaces) > 10
    assert running.wait(LIMIT) == 0, (tmp_path / "output").read_text()
    assert made.left(60.0) == []
    assert not list((tmp_path / "tmp").iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["output", "run", "tiny.yaml", "tmp"]
    names = {path.name for path in (tmp_path / "run").iterdir()}
    files = {"experiment.yaml", "journal.jsonl", "manifest.json", "report.html"}
    assert names == {*files, "cache", "configuration", "trials"}
    assert _trials(tmp_path) == ["0001"]
    trial = {path.name for path in (tmp_path / "run/trials/0001").iterdir()}
    assert "lab" not in trial and {"trial.json", "logs", "timeline.parquet"} <= trial


@pytest.mark.parametrize(
    ("number", "solution"), [(signal.SIGINT, _ONE), (signal.SIGTERM, _PAIR)], ids=["one", "pair"]
)
def test_nothing_is_left_after_an_interruption(tmp_path: Path, number: signal.Signals, solution: str) -> None:
    made = RunTraces()
    running = _start(tmp_path, 60, solution=solution)
    _await_load(tmp_path, "0001", running)
    made.note(running.pid)
    running.send_signal(number)
    code = running.wait(LIMIT)
    assert made.left(60.0) == []
    assert not list((tmp_path / "tmp").iterdir())
    if number == signal.SIGINT:
        assert code == 130
        assert "interrupted" in (tmp_path / "output").read_text()
        assert "--resume" in (tmp_path / "output").read_text()
        assert _trials(tmp_path) == []


def test_nothing_is_left_after_kill_9_and_the_run_continues(tmp_path: Path) -> None:
    made = RunTraces()
    running = _start(tmp_path, 1, solution=_ONE)
    _await_load(tmp_path, "0002", running)
    assert "0001" in _trials(tmp_path)
    made.note(running.pid)
    running.kill()
    running.wait()
    assert made.left(60.0) == []

    finished = tmp_path / "run/trials/0001/trial.json"
    before = (finished.stat().st_mtime_ns, finished.stat().st_ino)
    refused = fivenines("run", "tiny.yaml", "--out", "run", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    resumed = fivenines("run", "tiny.yaml", "--out", "run", "--resume", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert _trials(tmp_path) == ["0001", "0002"]
    assert (finished.stat().st_mtime_ns, finished.stat().st_ino) == before
    assert [trial.record.status for trial in store.open_run(tmp_path / "run").trials] == [
        "complete",
        "complete",
    ]
    assert made.left(60.0) == []


# Another test covers kill -9 of the controller.
@pytest.mark.long
def test_a_kill_of_the_first_process_ends_its_lab(tmp_path: Path) -> None:
    """Kill the lab under a running trial: the trial reports it and leaves nothing."""
    made = RunTraces()
    running = _start(tmp_path, 4, "--trials", "1")
    _await_load(tmp_path, "0001", running)
    made.note(running.pid)
    for process in made.processes:
        with contextlib.suppress(psutil.NoSuchProcess):  # The process may have ended with the others.
            if process.cmdline()[1:3] == ["init", "lab"]:
                process.kill()
    _await_broken(tmp_path)
    running.send_signal(signal.SIGINT)
    running.wait(LIMIT)
    assert made.left(60.0) == []
    (broken,) = store.open_run(tmp_path / "run").broken
    assert broken.record.status == "broken" and broken.record.reason


def _await_broken(folder: Path) -> None:
    deadline = time.monotonic() + LIMIT
    while "0001.broken-1" not in _trials(folder):
        assert time.monotonic() < deadline, (folder / "output").read_text()
        time.sleep(0.1)
