"""Trials on a real Ray cluster: complete or not at all, repeated elsewhere when a machine is lost, nothing
left.
"""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_leftovers import RunTraces
from lab_ray import QUICK, RayCluster, ray_cluster
from lab_support import GENTLE, HEAD, LIMIT, PATIENCE, fivenines, program, timing

from fivenines.base import locks, paths
from fivenines.results import journal, store

_BOTH = "{solution: hot-standby, name: pair}, {solution: standalone}"
_ONE = "{solution: standalone}"


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """Provide two nodes to tests that do not change them."""
    with ray_cluster(2) as found:
        yield found


def _file(folder: Path, trials: int, steady: float, solutions: str = _BOTH) -> Path:
    file = folder / "tiny.yaml"
    head = HEAD.replace("trials: 1", f"trials: {trials}")
    file.write_text(f"{head}solutions: [{solutions}]\n" + GENTLE + timing(recovery=1, steady=steady))
    return file


def _begun(folder: Path, cluster: RayCluster, trials: int, steady: float) -> "subprocess.Popen[bytes]":
    file = _file(folder, trials, steady, _ONE)
    with (folder / "output").open("ab") as log:
        return subprocess.Popen(
            program("run", str(file), "--out", "run", "--on", cluster.address),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _lines(folder: Path, event: str) -> list[dict[str, object]]:
    text = journal.path(folder / "run").read_text()
    return [line for line in journal.parsed(text.splitlines()) if line["event"] == event]


def _await_loads(folder: Path, running: "subprocess.Popen[bytes]", count: int) -> None:
    _await_lines(folder, running, "load-started", count)


def _await_lines(folder: Path, running: "subprocess.Popen[bytes]", event: str, count: int) -> None:
    deadline = time.monotonic() + LIMIT
    while True:
        exists = journal.path(folder / "run").exists()
        if exists and len(_lines(folder, event)) >= count:
            return
        assert running.poll() is None, (folder / "output").read_text()
        assert time.monotonic() < deadline, (folder / "output").read_text()
        time.sleep(0.05)


def _scratch(cluster: RayCluster) -> list[Path]:
    """Return the folders of the cluster's running trials."""
    ours = {worker.pid for number in (0, 1) for worker in cluster.workers(number)}
    return [
        lock.with_suffix("")
        for lock in (paths.cache() / "remote").glob("*.lock")
        if any(holder.pid in ours for holder in locks.holders(lock))
    ]


@pytest.mark.lasts(45)
@pytest.mark.timeout(900 * PATIENCE)
def test_each_machine_runs_whole_replications_and_returns_all(tmp_path: Path, cluster: RayCluster) -> None:
    file = _file(tmp_path, 2, 1)
    result = fivenines(
        "run", str(file), "--out", "run", "--on", cluster.address, "--json", cwd=tmp_path, timeout=600
    )
    assert result.returncode == 0, result.stderr
    assert "are on the same machine" in result.stderr.replace("\n", " ")
    run = store.open_run(tmp_path / "run")
    # An attempt that a busy machine broke stays in the list of broken ones; it was repeated.
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


# The other tests check both machines implicitly.
@pytest.mark.long
def test_every_machine_is_checked(tmp_path: Path, cluster: RayCluster) -> None:
    options = ["--on", cluster.address, "--no-calibration", "--json"]
    result = fivenines("workers", "check", *options, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    answer = json.loads(result.stdout)
    assert answer["ok"] and len(answer["machines"]) == 2 and answer["unreachable"] == {}
    assert all(len(machine["checks"]) > 10 and machine["calibration"] == [] for machine in answer["machines"])


@pytest.mark.parametrize(
    ("address", "message"),
    [("127.0.0.1:1", "write ray://HEAD:PORT"), ("ray://127.0.0.1:9", "ray://127.0.0.1:9 does not answer")],
)
def test_a_missing_cluster_is_reported_in_one_sentence(tmp_path: Path, address: str, message: str) -> None:
    result = fivenines("run", str(_file(tmp_path, 1, 1)), "--out", "run", "--on", address, cwd=tmp_path)
    assert result.returncode in (1, 2)
    assert message in result.stderr.replace("\n", " ") and "Traceback" not in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.lasts(35)
def test_a_cluster_with_a_token_gets_it_or_the_error_names_the_setting(tmp_path: Path) -> None:
    with ray_cluster(1, token="a" * 32) as cluster:
        ours = tmp_path / "token"
        file = _file(tmp_path, 1, 1, _ONE)

        def run(*command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
            here = {"HOME": str(tmp_path), "FIVENINES_CACHE": str(paths.cache()), **variables}
            return fivenines(*command, "--on", cluster.address, cwd=tmp_path, env=here)

        for command in (("run", str(file), "--out", "run"), ("workers", "check", "--no-calibration")):
            result = run(*command)
            assert result.returncode == 1 and "Traceback" not in result.stderr, result.stderr
            assert "demands a token, and there is none here" in result.stderr.replace("\n", " ")
        ours.write_text("b" * 32)
        result = run("run", str(file), "--out", "run", RAY_AUTH_TOKEN_PATH=str(ours))
        assert result.returncode == 1
        assert "refuses the token from" in result.stderr.replace("\n", " ")
        assert not (tmp_path / "run").exists()
        # Ray's programs store the token there, and no setting names it.
        home = tmp_path / ".ray" / "auth_token"
        home.parent.mkdir()
        home.write_text("a" * 32)
        result = run("run", str(file), "--out", "run")
        assert result.returncode == 0, result.stderr
        assert len(store.open_run(tmp_path / "run").complete) == 1


@pytest.mark.lasts(20)
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.long)])
def test_nothing_is_left_on_the_machines(tmp_path: Path, cluster: RayCluster, number: signal.Signals) -> None:
    running = _begun(tmp_path, cluster, 2, 300)
    _await_loads(tmp_path, running, 2)
    made = RunTraces()
    for worker in [*cluster.workers(0), *cluster.workers(1)]:
        made.note(worker.pid)
    scratch = _scratch(cluster)
    assert len(scratch) == 2 and all(path.is_dir() for path in scratch)
    running.send_signal(number)
    code = running.wait(LIMIT)
    # Ray gives a disconnected client half a minute to reconnect.
    assert made.left(90.0 if number == signal.SIGKILL else 60.0) == []
    if number == signal.SIGKILL:
        return
    output = (tmp_path / "output").read_text()
    assert code == 130, output
    assert re.search(r"--resume .*--on ray://", output.replace("\n", " "))
    assert not any(path.exists() for path in scratch)
    assert list((tmp_path / "run/trials").iterdir()) == []


@pytest.mark.long
def test_trials_of_a_lost_machine_run_again_on_another_one(tmp_path: Path) -> None:
    with ray_cluster(2) as cluster:
        running = _begun(tmp_path, cluster, 2, 20)
        _await_loads(tmp_path, running, 2)
        made = RunTraces()
        for worker in cluster.workers(1):
            made.note(worker.pid)
        assert made.processes
        cluster.kill(1)
        assert running.wait(LIMIT) == 0, (tmp_path / "output").read_text()
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
        made = RunTraces()
        for worker in cluster.workers(1):
            made.note(worker.pid)
        cluster.freeze(1)
        _await_lines(tmp_path, running, "worker-lost", 1)
        # The trial is repeated on the other machine, and the first one wakes up during it.
        cluster.thaw()
        assert running.wait(LIMIT) == 0, (tmp_path / "output").read_text()
        assert made.left(60.0) == []
    run = store.open_run(tmp_path / "run")
    assert (len(run.complete), run.missing, run.problems) == (2, [], [])
    (lost,) = _lines(tmp_path, "worker-lost")
    assert "listed as dead" in str(lost["reason"])
    begun = [line for line in _lines(tmp_path, "trial-started") if line["trial"] == lost["trial"]]
    assert [line["worker"] == lost["worker"] for line in begun] == [True, False]
    finished = [line["trial"] for line in _lines(tmp_path, "trial-finished")]
    assert len(finished) == len(set(finished)) == 2
    (counted,) = [trial.record for trial in run.complete if trial.record.id == lost["trial"]]
    assert counted.worker is not None and counted.worker.name != lost["worker"]
