"""Parallel trials on real servers: each on separate processors, nothing lost, nothing left."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil
import pytest
from lab_leftovers import RunTraces
from lab_support import GENTLE, HEAD, LIMIT, fivenines, program, timing

from fivenines.results import journal, layout, store

_SOLUTIONS = "solutions: [{solution: hot-standby, name: pair}, {solution: standalone}]\n"


def _file(folder: Path, trials: int, steady: float) -> Path:
    file = folder / "tiny.yaml"
    head = HEAD.replace("trials: 1", f"trials: {trials}")
    file.write_text(head + _SOLUTIONS + GENTLE + timing(recovery=1, steady=steady))
    return file


def _begun(folder: Path, trials: int, steady: float) -> "subprocess.Popen[bytes]":
    file = _file(folder, trials, steady)
    with (folder / "output").open("ab") as log:
        return subprocess.Popen(
            program("run", str(file), "--out", "run", "--parallel", "2", "--oversubscribe"),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _await_loads(
    folder: Path, running: "subprocess.Popen[bytes]", enough: Callable[[Iterable[bool]], bool] = all
) -> None:
    """Wait until both of the first trials are under load, or any of them."""
    deadline = time.monotonic() + LIMIT
    parts = [layout.part_folder(folder / "run", trial) for trial in ("0001", "0002")]
    while not enough((part / "observed/hosts.csv").exists() for part in parts):
        assert running.poll() is None, (folder / "output").read_text()
        assert time.monotonic() < deadline, (folder / "output").read_text()
        time.sleep(0.05)


def _workers(controller: int) -> list[psutil.Process]:
    children = psutil.Process(controller).children()
    return [child for child in children if "fivenines.campaign.workers.child" in child.cmdline()]


def _processors(folder: Path, running: "subprocess.Popen[bytes]") -> list[tuple[int, ...]]:
    """Return the processors of each worker at a moment when both have servers."""
    deadline = time.monotonic() + LIMIT
    while True:
        assert running.poll() is None, (folder / "output").read_text()
        assert time.monotonic() < deadline, (folder / "output").read_text()
        below = [[worker, *worker.children(recursive=True)] for worker in _workers(running.pid)]
        if len(below) == 2 and all(len(processes) > 5 for processes in below):
            return [_of_all(processes) for processes in below]
        time.sleep(0.05)


def _of_all(processes: list[psutil.Process]) -> tuple[int, ...]:
    processors = set()
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            processors.add(tuple(sorted(os.sched_getaffinity(process.pid))))
    (cpus,) = processors
    return cpus


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="takes two processors")
def test_two_trials_at_a_time_on_processors_of_their_own(tmp_path: Path) -> None:
    running = _begun(tmp_path, 2, 4)
    used = _processors(tmp_path, running)
    assert len(used) == 2 and not set(used[0]) & set(used[1])
    assert running.wait(LIMIT) == 0, (tmp_path / "output").read_text()
    run = store.open_run(tmp_path / "run")
    # A busy machine may break a trial, which is then repeated.
    assert (len(run.complete), run.missing, run.problems) == (4, [], [])
    workers = [trial.record.worker for trial in run.complete]
    assert {(worker.name, *worker.cores) for worker in workers if worker} == {
        (f"worker {number}", *sorted(cpus)) for number, cpus in enumerate(sorted(used), start=1)
    }
    assert all(worker is not None and worker.neighbours == 1 for worker in workers)
    lines = journal.parsed(journal.path(tmp_path / "run").read_text().splitlines())
    (begun,) = [line for line in lines if line["event"] == "campaign-started"]
    assert begun["at_once"] == 2
    page = (tmp_path / "run/report.html").read_text()
    assert "2 trials ran in parallel" in page


def test_what_would_disturb_is_refused_and_continued_as_it_was_begun(tmp_path: Path) -> None:
    file = _file(tmp_path, 1, 1)
    many = str(len(os.sched_getaffinity(0)) + 1)
    refused = fivenines("run", str(file), "--out", "run", "--parallel", many, cwd=tmp_path)
    assert refused.returncode == 2
    assert "--oversubscribe" in refused.stderr and "Traceback" not in refused.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.long)])
def test_nothing_is_left_of_both_and_the_run_resumes(tmp_path: Path, number: signal.Signals) -> None:
    made = RunTraces()
    running = _begun(tmp_path, 1, 300 if number == signal.SIGINT else 20)
    _await_loads(tmp_path, running)
    made.note(running.pid)
    running.send_signal(number)
    code = running.wait(LIMIT)
    assert made.left() == []
    if number == signal.SIGINT:
        output = (tmp_path / "output").read_text()
        assert code == 130, output
        assert re.search(r"--resume .*--parallel 2 --oversubscribe", output.replace("\n", " "))
        assert list((tmp_path / "run/trials").iterdir()) == []
        return
    file = str(tmp_path / "tiny.yaml")
    resumed = fivenines("run", file, "--out", "run", "--resume", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert len(store.open_run(tmp_path / "run").complete) == 2


# A broken trial is repeated for other reasons, too.
@pytest.mark.long
def test_a_trial_whose_worker_is_killed_runs_again(tmp_path: Path) -> None:
    running = _begun(tmp_path, 1, 4)
    _await_loads(tmp_path, running, any)
    victim, _ = _workers(running.pid)
    victim.kill()
    assert running.wait(LIMIT) == 0, (tmp_path / "output").read_text()
    run = store.open_run(tmp_path / "run")
    assert (len(run.complete), run.broken) == (2, [])
    lines = journal.parsed(journal.path(tmp_path / "run").read_text().splitlines())
    (lost,) = [line for line in lines if line["event"] == "worker-lost"]
    assert "SIGKILL" in lost["reason"]
    assert [line["trial"] for line in lines if line["event"] == "trial-started"].count(lost["trial"]) == 2
