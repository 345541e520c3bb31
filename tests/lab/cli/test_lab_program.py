"""The program end to end on real servers: run, report, results, bench, and the running deployment."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab_cache import with_engine, with_our
from lab_leftovers import RunTraces
from lab_support import GENTLE, HEAD, LIMIT, OPERATOR, cache_with_damage, fivenines, kill, timing

from fivenines.base import locks
from fivenines.experiment.source import solution_from
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)


def test_run_report_results(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(
        HEAD + "solutions: [{solution: hot-standby, name: pair, synchronous_commit: remote_apply, "
        f"manager: {OPERATOR}}}]\n" + kill() + GENTLE + timing()
    )
    plan = fivenines("run", "tiny.yaml", "--dry-run", cwd=tmp_path)
    assert plan.returncode == 0 and "1 trial" in plan.stdout
    assert not (tmp_path / "runs").exists()
    ran = fivenines("run", "tiny.yaml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "\x1b" not in ran.stdout + ran.stderr, "colours only on a terminal"
    (run,) = (tmp_path / "runs").iterdir()
    assert "report.html" in ran.stdout and "pair" in ran.stdout

    (run / "report.html").unlink()
    assert fivenines("report", run.name, cwd=tmp_path).returncode == 0
    page = (run / "report.html").read_text()
    assert len(page) < 3_000_000 and "pair" in page and 'src="http' not in page
    answers = {
        kind: fivenines("report", run.name, "--format", kind, cwd=tmp_path) for kind in ("md", "json", "csv")
    }
    assert [answer.returncode for answer in answers.values()] == [0, 0, 0], answers
    assert "| pair" in answers["md"].stdout or "|pair" in answers["md"].stdout
    assert "pair" in json.dumps(json.loads(answers["json"].stdout))
    assert "pair" in answers["csv"].stdout

    listed = fivenines("results", "list", "--json", cwd=tmp_path)
    assert listed.returncode == 0 and run.name in listed.stdout
    shown = fivenines("results", "show", run.name, cwd=tmp_path)
    assert shown.returncode == 0 and "pair" in shown.stdout
    removed = fivenines("results", "rm", run.name, "--yes", cwd=tmp_path)
    assert removed.returncode == 0, removed.stderr
    assert not run.exists()


def test_a_refused_setting_is_reported_before_a_run_exists(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(
        HEAD
        + "solutions: [{solution: standalone, server: {shared_buffers: plenty}}]\n"
        + GENTLE
        + timing(recovery=1)
    )
    ran = fivenines("run", "tiny.yaml", "--out", "run", cwd=tmp_path)
    assert ran.returncode == 2 and "tiny.yaml:5:" in ran.stderr
    assert "shared_buffers" in ran.stderr and "Traceback" not in ran.stderr
    assert not (tmp_path / "run").exists()


def test_an_occupied_port_is_reported_by_the_server(tmp_path: Path) -> None:
    settings = solution_from({"solution": "standalone", "engine": "postgres-18"}, "test")
    data = dataset.ensure(engine("postgres-18"), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as deployed:
        start = deployed.solution.start

        def occupy_and_start() -> None:
            (node,) = deployed.solution.nodes
            code = (
                "import socket, time; s = socket.socket(); s.setsockopt(1, 2, 1); "
                "s.bind(('0.0.0.0', 5432)); s.listen(); print('taken', flush=True); time.sleep(60)"
            )
            taken = node.host.commands.spawn_outside([sys.executable, "-c", code], log="taken.out")
            while "taken" not in taken.log_tail():
                time.sleep(0.05)
            start()

        deployed.solution.start = occupy_and_start  # type: ignore[method-assign]
        with pytest.raises(Exception, match=r"did not start(.|\n)*Address already in use"):
            deployed.bring_up()


def test_the_running_deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = RunTraces()
    with_engine(tmp_path, "postgres-18")
    cache = with_our(tmp_path, "data")
    monkeypatch.setenv("FIVENINES_CACHE", str(cache))
    keeper = cache / "playground/keeper.lock"
    assert fivenines("status", cwd=tmp_path).returncode == 2
    up = fivenines(
        "up",
        "hot-standby",
        "--set",
        "synchronous_commit=remote_apply",
        "--set",
        "manager.kind=operator",
        "--set",
        "manager.interval=200ms",
        "--set",
        "manager.misses=2",
        "--set",
        "manager.timeout=3s",
        cwd=tmp_path,
    )
    try:
        assert up.returncode == 0, up.stderr
        assert "primary" in up.stdout and "replica" in up.stdout
        _is_the_keepers(tmp_path, keeper)
        rows = fivenines("sql", "node2", "SELECT pg_is_in_recovery(), 42", cwd=tmp_path)
        assert rows.stdout == "True\t42\n", rows.stderr
        wrong = fivenines("sql", "node2", "SELECT nonsense", cwd=tmp_path)
        assert wrong.returncode == 1 and "nonsense" in wrong.stderr
        counted = fivenines("sql", "node1", "SELECT count(*) FROM sbtest1", cwd=tmp_path)
        assert counted.stdout == "10000\n", "the database with the tables is the default"
        named = fivenines("exec", "node2", "--", "hostname", cwd=tmp_path)
        assert (named.returncode, named.stdout) == (0, "node2\n"), named.stderr
        nowhere = fivenines("exec", "node9", "--", "hostname", cwd=tmp_path)
        assert "the hosts are node1, node2, client, manager" in nowhere.stderr
        environment = {
            "_FIVENINES_COMPLETE": "complete_bash",
            "COMP_WORDS": "fivenines sql n",
            "COMP_CWORD": "2",
        }
        # A key press waits for a second at most, which a busy machine may exceed.
        answers = [fivenines(cwd=tmp_path, env=environment).stdout.split()]
        while not answers[-1] and len(answers) < 20:
            answers.append(fivenines(cwd=tmp_path, env=environment).stdout.split())
        assert answers[-1] == ["node1", "node2"]
        answer = fivenines("connect", cwd=tmp_path, text="SELECT pg_is_in_recovery();")
        assert answer.returncode == 0 and " f\n" in answer.stdout, "the primary is the default"
        assert fivenines("kill", "node7", cwd=tmp_path).returncode != 0
        killed = fivenines("kill", "node1", cwd=tmp_path)
        assert killed.returncode == 0 and "SIGKILL" in killed.stdout
        assert "is not running" in fivenines("kill", "node1", cwd=tmp_path).stderr
        nodes = _await_primary(tmp_path, "node2")
        assert (nodes["node1"]["role"], nodes["node1"]["healthy"]) == ("down", False)
        back = fivenines("restart", "node1", cwd=tmp_path)
        assert back.returncode == 0, back.stderr
        nodes = _await_primary(tmp_path, "node2")
        assert nodes["node1"]["role"] == "replica"
        assert "is already running" in fivenines("restart", "node1", cwd=tmp_path).stderr
    finally:
        down = fivenines("down", cwd=tmp_path)
    assert down.returncode == 0, down.stderr
    assert not locks.is_held(keeper)
    assert fivenines("status", cwd=tmp_path).returncode == 2
    again = fivenines("down", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, "no deployment is running\n"), again.stderr
    assert made.left() == []


def _is_the_keepers(cwd: Path, keeper: Path) -> None:
    """Check that the running deployment and its engine are locked as long as their keeper lives."""
    (holder,) = locks.holders(keeper)
    assert holder.alive
    again = fivenines("up", "standalone", cwd=cwd)
    assert again.returncode == 2
    assert f"the running deployment is in use by process {holder.pid} (" in again.stderr
    assert "fivenines down" in again.stderr
    removed = fivenines("engines", "remove", "postgres-18", cwd=cwd)
    assert removed.returncode == 2
    assert f"the engine postgres-18 is in use by process {holder.pid} (" in removed.stderr


def _await_primary(cwd: Path, name: str) -> dict[str, dict[str, object]]:
    deadline = time.monotonic() + LIMIT
    while True:
        answer = fivenines("status", "--json", cwd=cwd)
        assert answer.returncode == 0, answer.stderr
        nodes = {node["name"]: node for node in json.loads(answer.stdout)["nodes"]}
        if nodes[name]["role"] == "primary":
            return nodes
        assert time.monotonic() < deadline, answer.stdout


def test_a_run_of_broken_trials_is_no_success(tmp_path: Path) -> None:
    text = HEAD + "solutions: [{solution: standalone, engine: postgres-18}]\n"
    (tmp_path / "broken.yaml").write_text(text + GENTLE + timing(recovery=1))
    cache = cache_with_damage(tmp_path, "postgres-18", "global/pg_control")

    def run() -> "subprocess.CompletedProcess[str]":
        environment = {"FIVENINES_CACHE": str(cache)}
        return fivenines("run", "broken.yaml", "--out", "run", cwd=tmp_path, env=environment)

    ran = run()
    assert ran.returncode == 1, ran.stdout
    assert "1 of 1 trials are broken" in ran.stderr
    assert "pg_control" in ran.stderr, "the server's own message is reported"
    again = run()
    assert again.returncode == 2 and "--resume" in again.stderr
