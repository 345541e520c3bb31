"""Trials on a real Ray cluster: whole or not at all, again elsewhere when a machine is lost, nothing left."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_leftovers import Made
from lab_ray import QUICK, RayCluster, ray_cluster
from lab_support import GENTLE, HEAD, fivenines, program, timing

from fivenines import locks, paths
from fivenines.results import journal, store

_BOTH = "{solution: hot-standby, name: pair}, {solution: standalone}"
_ONE = "{solution: standalone}"


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """Two nodes, for tests that leave them as they are."""
    with ray_cluster(2) as found:
        yield found


def _file(folder: Path, trials: int, steady: float, solutions: str = _BOTH) -> Path:
    file = folder / "tiny.yaml"
    head = HEAD.replace("trials: 1", f"trials: {trials}")
    file.write_text(f"{head}solutions: [{solutions}]\n" + GENTLE + timing(recovery=1, steady=steady))
    return file


def _begun(folder: Path, cluster: RayCluster, trials: int, steady: float) -> "subprocess.Popen[bytes]":
    file = _file(folder, trials, steady, _ONE)
    with (folder / "said").open("ab") as said:
        return subprocess.Popen(
            program("run", str(file), "--out", "run", "--on", cluster.address),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )


def _lines(folder: Path, event: str) -> list[dict[str, object]]:
    text = journal.path(folder / "run").read_text()
    return [line for line in journal.parsed(text.splitlines()) if line["event"] == event]


def _await_loads(folder: Path, running: "subprocess.Popen[bytes]", count: int) -> None:
    _await_lines(folder, running, "load-started", count)


def _await_lines(folder: Path, running: "subprocess.Popen[bytes]", event: str, count: int) -> None:
    deadline = time.monotonic() + 240
    while True:
        there = journal.path(folder / "run").exists()
        if there and len(_lines(folder, event)) >= count:
            return
        assert running.poll() is None, (folder / "said").read_text()
        assert time.monotonic() < deadline, (folder / "said").read_text()
        time.sleep(0.05)


def _scratch(cluster: RayCluster) -> list[Path]:
    """The folders in which the cluster's trials are carried out now."""
    ours = {worker.pid for number in (0, 1) for worker in cluster.workers(number)}
    return [
        lock.with_suffix("")
        for lock in (paths.cache() / "remote").glob("*.lock")
        if any(holder.pid in ours for holder in locks.holders(lock))
    ]


@pytest.mark.lasts(45)
@pytest.mark.timeout(900)
def test_each_machine_runs_whole_replications_and_all_comes_back(tmp_path: Path, cluster: RayCluster) -> None:
    file = _file(tmp_path, 2, 1)
    found = fivenines(
        "run", str(file), "--out", "run", "--on", cluster.address, "--json", cwd=tmp_path, timeout=600
    )
    assert found.returncode == 0, found.stderr
    assert "nodes of one machine" in found.stderr.replace("\n", " ")
    run = store.open_run(tmp_path / "run")
    # an attempt that a busy machine broke stays in the list of the broken; it was made again
    assert (len(run.complete), run.missing, run.problems) == (4, [], [])
    machines: dict[int, set[str]] = {}
    for trial in run.complete:
        worker = trial.record.worker
        assert worker is not None and worker.machine is not None and worker.cores
        machines.setdefault(trial.record.number, set()).add(worker.host)
        assert (trial.folder / "timeline.parquet").exists()
        assert list((trial.folder / "logs").iterdir())
    assert sorted(map(len, machines.values())) == [1, 1] and machines[1] != machines[2]
    assert {line["worker"] for line in _lines(tmp_path, "trial-started")} == {*machines[1], *machines[2]}
    assert len({line["trial"] for line in _lines(tmp_path, "load-started")}) == 4
    assert not list((tmp_path / "run/trials").glob(".*"))
    assert _scratch(cluster) == []
    page = (tmp_path / "run/report.html").read_text()
    assert all(name in page for name in machines[1] | machines[2])


# the other tests check both machines on their way
@pytest.mark.long
def test_every_machine_is_checked(tmp_path: Path, cluster: RayCluster) -> None:
    asked = ["--on", cluster.address, "--no-calibration", "--json"]
    found = fivenines("workers", "check", *asked, cwd=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    said = json.loads(found.stdout)
    assert said["ok"] and len(said["machines"]) == 2 and said["unreachable"] == {}
    assert all(len(one["checks"]) > 10 and one["calibration"] == [] for one in said["machines"])


@pytest.mark.parametrize(
    ("address", "said"),
    [("127.0.0.1:1", "write ray://HEAD:PORT"), ("ray://127.0.0.1:9", "ray://127.0.0.1:9 does not answer")],
)
def test_where_no_cluster_is_one_sentence_says_so(tmp_path: Path, address: str, said: str) -> None:
    found = fivenines("run", str(_file(tmp_path, 1, 1)), "--out", "run", "--on", address, cwd=tmp_path)
    assert found.returncode in (1, 2)
    assert said in found.stderr.replace("\n", " ") and "Traceback" not in found.stderr
    assert not (tmp_path / "run").exists()


def test_a_cluster_that_demands_a_token_gets_ours_or_says_what_to_set(tmp_path: Path) -> None:
    with ray_cluster(1, token="a" * 32) as cluster:
        ours = tmp_path / "token"
        file = _file(tmp_path, 1, 1, _ONE)

        def run(*command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
            here = {"HOME": str(tmp_path), "FIVENINES_CACHE": str(paths.cache()), **variables}
            return fivenines(*command, "--on", cluster.address, cwd=tmp_path, env=here)

        for command in (("run", str(file), "--out", "run"), ("workers", "check", "--no-calibration")):
            found = run(*command)
            assert found.returncode == 1 and "Traceback" not in found.stderr, found.stderr
            assert "demands a token, and there is none here" in found.stderr.replace("\n", " ")
        ours.write_text("b" * 32)
        found = run("run", str(file), "--out", "run", RAY_AUTH_TOKEN_PATH=str(ours))
        assert found.returncode == 1
        assert "refuses the token from" in found.stderr.replace("\n", " ")
        assert not (tmp_path / "run").exists()
        # where Ray's own programs keep it; nobody has said that there is one
        home = tmp_path / ".ray" / "auth_token"
        home.parent.mkdir()
        home.write_text("a" * 32)
        found = run("run", str(file), "--out", "run")
        assert found.returncode == 0, found.stderr
        assert len(store.open_run(tmp_path / "run").complete) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.long)])
def test_nothing_is_left_on_the_machines(tmp_path: Path, cluster: RayCluster, number: signal.Signals) -> None:
    running = _begun(tmp_path, cluster, 2, 300)
    _await_loads(tmp_path, running, 2)
    made = Made()
    for worker in [*cluster.workers(0), *cluster.workers(1)]:
        made.note(worker.pid)
    scratch = _scratch(cluster)
    assert len(scratch) == 2 and all(path.is_dir() for path in scratch)
    running.send_signal(number)
    code = running.wait(150)
    # Ray gives a client that is gone half a minute to come back
    assert made.left(90.0 if number == signal.SIGKILL else 60.0) == []
    if number == signal.SIGKILL:
        return
    said = (tmp_path / "said").read_text()
    assert code == 130, said
    assert re.search(r"--resume .*--on ray://", said.replace("\n", " "))
    assert not any(path.exists() for path in scratch)
    assert list((tmp_path / "run/trials").iterdir()) == []


@pytest.mark.long
def test_trials_of_a_machine_that_is_lost_run_again_elsewhere(tmp_path: Path) -> None:
    with ray_cluster(2) as cluster:
        running = _begun(tmp_path, cluster, 2, 20)
        _await_loads(tmp_path, running, 2)
        made = Made()
        for worker in cluster.workers(1):
            made.note(worker.pid)
        assert made.processes
        cluster.kill(1)
        assert running.wait(300) == 0, (tmp_path / "said").read_text()
        assert made.left(60.0) == []
    run = store.open_run(tmp_path / "run")
    assert (len(run.complete), run.missing, run.problems) == (2, [], [])
    (lost,) = _lines(tmp_path, "worker-lost")
    begun = [line for line in _lines(tmp_path, "trial-started") if line["trial"] == lost["trial"]]
    assert [line["worker"] == lost["worker"] for line in begun] == [True, False]


@pytest.mark.long
def test_the_trial_of_a_machine_that_hangs_runs_again_and_counts_once(tmp_path: Path) -> None:
    with ray_cluster(2, settings=QUICK) as cluster:
        running = _begun(tmp_path, cluster, 2, 40)
        _await_loads(tmp_path, running, 2)
        made = Made()
        for worker in cluster.workers(1):
            made.note(worker.pid)
        cluster.freeze(1)
        _await_lines(tmp_path, running, "worker-lost", 1)
        # the trial runs again on the other machine, and the first one wakes up with it
        cluster.thaw()
        assert running.wait(300) == 0, (tmp_path / "said").read_text()
        assert made.left(60.0) == []
    run = store.open_run(tmp_path / "run")
    assert (len(run.complete), run.missing, run.problems) == (2, [], [])
    (lost,) = _lines(tmp_path, "worker-lost")
    assert "listed as dead" in str(lost["reason"])
    begun = [line for line in _lines(tmp_path, "trial-started") if line["trial"] == lost["trial"]]
    assert [line["worker"] == lost["worker"] for line in begun] == [True, False]
    finished = [line["trial"] for line in _lines(tmp_path, "trial-finished")]
    assert len(finished) == len(set(finished)) == 2
    (counted,) = [one.record for one in run.complete if one.record.id == lost["trial"]]
    assert counted.worker is not None and counted.worker.name != lost["worker"]
