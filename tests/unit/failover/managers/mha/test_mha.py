"""MHA: its settings, its files, its scripts, and its requests to the lab."""

import os
import socket
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError
from script_host import ScriptHost

from fivenines.base.errors import FiveninesError
from fivenines.experiment.validation.checks import problems
from fivenines.failover.managers import lab_requests
from fivenines.failover.managers.mha import files as mha_files
from fivenines.failover.managers.mha.manager import Mha, MhaSettings
from fivenines.failover.requests import Requests
from fivenines.lab.host import NODE, Host
from fivenines.servers.mariadb.server import SEMI_SYNC_PRIMARY
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.replication.settings import ReplicationSettings


def settings(**given: Any) -> MhaSettings:
    return MhaSettings(**{"kind": "mha", **given})


def replication(replicas: int = 2, **manager: Any) -> ReplicationSettings:
    return ReplicationSettings(
        **{"solution": "replication", "replicas": replicas, "manager": {"kind": "mha", **manager}}
    )


def test_defaults_are_those_of_mha() -> None:
    ours = settings()
    assert (ours.ping_interval, ours.ping_type, ours.secondary_check) == (3, "select", False)
    assert ours.fence and ours.repeat and ours.last_failover == 0
    assert problems(replication()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"ping_interval": 0},
        {"ping_interval": 1.5},
        {"ping_type": "telnet"},
        {"ssh_port": 22},
        {"candidates": ["primary"]},
        {"last_failover": "soon"},
    ],
)
def test_values_that_mha_would_refuse_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        settings(**wrong)


@pytest.mark.parametrize(
    ("solution", "output"),
    [
        (replication(candidates=["node4"]), "candidates: there is no node4: the nodes are node1 to node3"),
        (replication(no_master=["node2", "node3"]), "manager.no_master: it excludes all replicas"),
        (replication(candidates=["node2"], no_master=["node2"]), "node2 is in candidates and in no_master"),
        (
            HotStandbySettings(solution="hot-standby", manager=settings()),
            "manager mha works with the engine mariadb-10.11, not with postgres-18",
        ),
    ],
)
def test_settings_that_do_not_fit_the_solution_are_reported(solution: Any, output: str) -> None:
    (problem,) = problems(solution)
    assert output in problem


class _Solution(SimpleNamespace):
    def node(self, name: str) -> Any:
        return next(node for node in self.nodes if node.name == name)


def _solution(tmp_path: Path, synchronous: bool = False) -> Any:
    nodes = []
    for number in (1, 2, 3):
        host = SimpleNamespace(address=f"10.99.0.1{number}", node=tmp_path / f"node{number}")
        for part in ("conf", "run"):
            (host.node / part).mkdir(parents=True)
        nodes.append(SimpleNamespace(name=f"node{number}", host=host, process=None))
    return _Solution(
        nodes=nodes,
        roles=SimpleNamespace(primary_of_record=nodes[0]),
        membership=SimpleNamespace(),
        manager_facts=lambda: {"synchronous": synchronous},
        engine=SimpleNamespace(name="mariadb-10.11", status=lambda: SimpleNamespace(version="1")),
    )


def _manager(tmp_path: Path, solution: Any, **given: Any) -> Mha:
    made = Mha(settings(**given), solution)
    host: Any = SimpleNamespace(node=tmp_path / "manager")
    for part in ("conf", "run", "log"):
        (host.node / part).mkdir(parents=True)
    made.host = host
    return made


def test_it_is_settled_once_it_watches_again(tmp_path: Path) -> None:
    made = _manager(tmp_path, _solution(tmp_path))
    assert not made.settled, "it has ended, and is started again"
    made._process = SimpleNamespace(poll=lambda: None)  # type: ignore[assignment]
    assert made.settled

    def starting() -> None:
        with made._busy:
            begun.set()
            over.wait(10)

    begun, over = threading.Event(), threading.Event()
    other = threading.Thread(target=starting)
    other.start()
    begun.wait(10)
    assert not made.settled, "it still checks the nodes"
    over.set()
    other.join()
    assert made.settled
    assert _manager(tmp_path / "once", _solution(tmp_path / "once"), repeat=False).settled


def _configuration(made: Mha) -> str:
    made._write_files()
    return made._configuration()


def test_the_configuration_contains_the_settings(tmp_path: Path) -> None:
    made = _manager(
        tmp_path,
        _solution(tmp_path),
        ping_interval=1,
        candidates=["node3"],
        no_master=["node2"],
        secondary_check=True,
        ping_type="insert",
    )
    lines = _configuration(made).splitlines()
    assert lines[0] == "[server default]"
    assert {
        "ssh_user=mysql",
        "ssh_port=2222",
        "ping_interval=1",
        "ping_type=INSERT",
        "master_binlog_dir=/run/node/data",
        "shutdown_script=/run/node/conf/shutdown_script",
        "secondary_check_script=masterha_secondary_check --port=2222 -s 10.99.0.12 -s 10.99.0.13",
    } < set(lines)
    assert lines[lines.index("[server1]") :] == [
        "[server1]",
        "hostname=10.99.0.11",
        "[server2]",
        "hostname=10.99.0.12",
        "no_master=1",
        "[server3]",
        "hostname=10.99.0.13",
        "candidate_master=1",
    ]
    made.solution.roles.primary_of_record = made.solution.nodes[1]  # type: ignore[misc]
    assert "-s 10.99.0.11 -s 10.99.0.13" in made._configuration(), "never the primary itself"
    sshd = mha_files.sshd_configuration(2222)
    assert "Port 2222" in sshd and "PasswordAuthentication no" in sshd


@pytest.mark.parametrize("fence", [True, False])
def test_without_fencing_there_is_no_request(tmp_path: Path, fence: bool) -> None:
    text = _configuration(_manager(tmp_path, _solution(tmp_path), fence=fence))
    assert ("shutdown_script" in text) is fence
    assert (tmp_path / "manager/conf/shutdown_script").exists() is fence


@pytest.mark.parametrize("synchronous", [True, False])
def test_a_new_primary_waits_for_replicas_if_the_old_one_did(tmp_path: Path, synchronous: bool) -> None:
    text = _configuration(_manager(tmp_path, _solution(tmp_path, synchronous)))
    assert ("master_ip_failover_script" in text) is synchronous
    script = (tmp_path / "manager/conf/master_ip_online_change_script").read_text()
    assert (SEMI_SYNC_PRIMARY in script) is synchronous
    assert "SET GLOBAL read_only = 1" in script


def _run_script(tmp_path: Path, text: str, *words: str, answer: str = "") -> tuple[int, str, str]:
    """Run a script, answer its request; return its exit status, its output and its request."""
    host: Any = ScriptHost("manager", tmp_path)
    script = tmp_path / "script"
    script.write_text(text.replace(str(NODE), str(host.node)))
    requested: list[str] = []

    def serve(_: Host, request: list[str]) -> str:
        requested.append(" ".join(request))
        return answer

    served = Requests([host], dict.fromkeys(mha_files.REQUESTS, serve))
    done = host.script(["sh", str(script), *words])
    served.stop()
    return done.returncode, done.stdout + done.stderr, "".join(requested)


@pytest.mark.parametrize(
    ("command", "answer", "status"),
    [
        ("status", "", 0),
        ("stopssh", "done", 10),
        ("stop", "done", 0),
        ("stop", "fencing failed: processes are left", 1),
    ],
)
def test_the_shutdown_script_requests_fencing_and_answers_mha(
    tmp_path: Path, command: str, answer: str, status: int
) -> None:
    words = [f"--command={command}", "--ssh_user=mysql", "--host=10.99.0.11", "--ip=10.99.0.11"]
    code, output, requested = _run_script(tmp_path, mha_files.shutdown_script(), *words, answer=answer)
    assert code == status
    assert requested == ("fence 10.99.0.11" if answer else "")
    assert ("the lab did not fence 10.99.0.11: fencing failed" in output) is (status == 1)


def _client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a client that prints its arguments before the real one."""
    client = tmp_path / "bin" / "mysql"
    client.parent.mkdir()
    client.write_text('#!/bin/sh\necho "$@"\n')
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{client.parent}:{os.environ['PATH']}")


def test_other_scripts_connect_to_the_right_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _client(tmp_path, monkeypatch)

    def output(text: str, command: str) -> str:
        words = [f"--command={command}", "--orig_master_ip=old", "--new_master_ip=new"]
        status, heard, _ = _run_script(tmp_path, text, *words)
        assert status == 0, heard
        return heard

    failover = mha_files.failover_script(True, None)
    assert output(failover, "stopssh") == ""
    assert SEMI_SYNC_PRIMARY in output(failover, "start")
    assert "--host=new" in output(failover, "start")
    change = mha_files.online_change_script(True, None)
    assert "--host=old" in output(change, "stop") and "read_only = 1" in output(change, "stop")
    assert "--host=new" not in output(change, "stop")
    assert "--host=new" in output(change, "start")
    assert output(mha_files.online_change_script(False, None), "start") == ""


class _Proxy:
    """A runtime API on a local port: one command for each connection, and the same answer to all."""

    def __init__(self, output: str) -> None:
        self.heard: list[str] = []
        self.output = output
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.control = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            with connection:
                self.heard.append(connection.recv(200).decode())
                connection.sendall(self.output.encode())

    def commands(self, address: str) -> list[str]:
        return [f"set server write/entry addr {address} port 3306", "shutdown sessions"]

    def moved(self, name: str) -> None:
        raise AssertionError(name)


_MOVED = "IP changed from '1.1.1.1' to '1.1.1.2', no need to change the port by 'stats socket'\n"


@pytest.mark.parametrize("script", [mha_files.failover_script, mha_files.online_change_script])
@pytest.mark.parametrize(
    ("output", "answer", "status"),
    [
        (_MOVED, "done", 0),
        ("\n", "done", 0),
        ("No such server.\n", "", 1),
        (_MOVED, "HAProxy's entry leads to nowhere", 1),
    ],
)
def test_mha_moves_the_entry_and_logs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Any, output: str, answer: str, status: int
) -> None:
    _client(tmp_path, monkeypatch)
    proxy = _Proxy(output)
    words = ["--command=start", "--orig_master_ip=10.99.0.11", "--new_master_ip=10.99.0.12"]
    text = script(True, proxy)
    code, heard, requested = _run_script(tmp_path, text, *words, answer=answer)
    assert code == status, heard
    assert proxy.heard[0] == "set server write/entry addr 10.99.0.12 port 3306\n"
    assert SEMI_SYNC_PRIMARY in heard, "clients come when it waits for others"
    assert requested == ("entry 10.99.0.12" if answer else "")
    if status:
        assert (answer or output).strip() in heard
    else:
        assert proxy.heard[1:] == ["shutdown sessions\n"], "the old server keeps no session"
    assert _run_script(tmp_path, text, "--command=status")[0] == 0, "MHA asks at its start"


def test_an_unreachable_proxy_moves_no_entry(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    proxy: Any = SimpleNamespace(control=f"127.0.0.1:{port}", commands=lambda address: [address])
    text = mha_files.failover_script(False, proxy)
    code, heard, requested = _run_script(tmp_path, text, "--command=start", "--new_master_ip=10.99.0.12")
    assert (code, requested) == (1, "") and f"HAProxy at {proxy.control}" in heard


def test_a_moved_entry_is_an_event(tmp_path: Path) -> None:
    made = _manager(tmp_path, _solution(tmp_path))
    host, request = made.host, ["entry", "10.99.0.12"]
    assert "'entry' is not a request" in made._serve(host, request), "nothing to move"
    noted: list[str] = []
    made.entry = SimpleNamespace(moved=noted.append)
    assert made._serve(host, request) == "done"
    (event,) = made.events()
    assert (event.kind, event.node, noted) == ("entry", "node2", ["node2"])
    assert event.detail == "HAProxy leads writes to 10.99.0.12"


class _Process:
    def __init__(self, ends: bool) -> None:
        self.ends = ends
        self.killed = False

    def kill(self) -> list[Any]:
        self.killed = True
        return []

    def gone(self, _members: list[Any]) -> bool:
        return self.ends


def test_the_lab_fences_and_reports_failures(tmp_path: Path) -> None:
    solution = _solution(tmp_path)
    made = _manager(tmp_path, solution)
    node = solution.nodes[0]
    assert made._serve(made.host, ["fence", "10.99.0.11"]) == "done", "nothing runs"
    node.process = _Process(ends=True)
    assert made._serve(made.host, ["fence", "10.99.0.11"]) == "done"
    assert node.process.killed
    node.process = _Process(ends=False)
    assert made._serve(made.host, ["fence", "10.99.0.11"]) == (
        "fencing failed: processes of node1 are left after SIGKILL"
    )
    with pytest.raises(FiveninesError, match="'paint' is not a request"):
        lab_requests.serve(made, "paint", "node1")


def test_the_lab_stops_and_starts_nodes(tmp_path: Path) -> None:
    solution = _solution(tmp_path)
    done: list[str] = []
    solution.nodes[1].stop = lambda: done.append("stop")
    solution.membership.rejoin = lambda node: done.append(f"rejoin {node.name}")
    made = _manager(tmp_path, solution)
    made.ssh = SimpleNamespace(start_on=lambda node: done.append(f"sshd {node.name}"))  # type: ignore[assignment]
    lab_requests.serve(made, "stop", "node2")
    lab_requests.serve(made, "start", "node2")
    assert done == ["stop", "sshd node2", "rejoin node2"]


def test_replicas_keep_their_relay_logs(tmp_path: Path) -> None:
    made = _manager(tmp_path, _solution(tmp_path))
    assert made.settings.server_settings == {"relay_log_purge": False}


def test_a_dead_primary_without_mha_is_reported_once(tmp_path: Path) -> None:
    made = _manager(tmp_path, _solution(tmp_path))
    for node in made.solution.nodes:
        node.answers = lambda: False
    for _ in range(3):
        made._look_after()
    (event,) = made.events()
    assert (event.kind, event.node) == ("failed", "node1")
    assert event.detail == "no failover manager runs: MHA has ended, and node1 does not answer"
    made._killed = True
    with pytest.raises(FiveninesError, match="no switchover: node1 does not answer"):
        made.switch_over()
