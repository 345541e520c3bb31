"""HAProxy's configuration, its endpoints, and the answers on its socket."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from fivenines.base.errors import FiveninesError
from fivenines.failover.proxies import haproxy
from fivenines.failover.proxies.direct import Direct, DirectSettings
from fivenines.failover.proxies.haproxy import Haproxy, HaproxySettings
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.solutions.replication.settings import ReplicationSettings


def _behind(count: int, spread: str = "first", reads: bool = False, **checks: Any) -> Any:
    nodes = [
        SimpleNamespace(name=f"node{number}", endpoint=f"10.99.0.{10 + number}:3306")
        for number in range(1, count + 1)
    ]
    every = tuple(node.endpoint for node in nodes)
    endpoints = Endpoints(every, every[1:] if reads else (), "writable", spread)  # type: ignore[arg-type]
    return SimpleNamespace(
        nodes=nodes, replicas=nodes[1:], endpoints=lambda: endpoints, health="synced", health_check=checks.get
    )


def _layer(count: int = 3, spread: str = "first", reads: bool = False, **given: Any) -> Haproxy:
    return Haproxy(HaproxySettings(kind="haproxy", **given), _behind(count, spread, reads))


def _sections(text: str) -> dict[str, list[str]]:
    """Return the lines of each section, in their order."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line.startswith(" "):
            found[line] = []
        else:
            found[list(found)[-1]].append(line.strip())
    return found


def _servers(lines: list[str]) -> list[str]:
    return [line.removeprefix("server ") for line in lines if line.startswith("server ")]


def test_writes_to_one_node_have_the_others_as_backups() -> None:
    sections = _sections(_layer()._configuration())
    assert list(sections) == ["global", "defaults", "listen write", "listen read"]
    assert _servers(sections["listen write"]) == [
        "node1 10.99.0.11:3306 check",
        "node2 10.99.0.12:3306 check backup",
        "node3 10.99.0.13:3306 check backup",
    ]
    assert "bind 0.0.0.0:3306" in sections["listen write"]
    assert "mode tcp" in sections["defaults"]


def test_haproxy_checks_nodes_with_own_health_checks_on_their_own_port() -> None:
    behind = _behind(2, write=(8008, "/primary"), read=(8008, "/replica"))
    sections = _sections(Haproxy(HaproxySettings(kind="haproxy"), behind)._configuration())
    for name, path in (("write", "/primary"), ("read", "/replica")):
        lines = sections[f"listen {name}"]
        assert f"option httpchk GET {path}" in lines
        assert any(line.startswith("default-server port 8008 ") for line in lines)
        assert _servers(lines) == ["node1 10.99.0.11:3306 check", "node2 10.99.0.12:3306 check"]


def test_writes_to_all_nodes_have_no_backups() -> None:
    sections = _sections(_layer(spread="all")._configuration())
    assert _servers(sections["listen write"]) == [
        f"node{number} 10.99.0.{10 + number}:3306 check" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize("spread", ["first", "all"])
def test_reads_go_round_all_but_the_preferred_node(spread: str) -> None:
    sections = _sections(_layer(spread=spread)._configuration())
    assert _servers(sections["listen read"]) == ["node2 10.99.0.12:3306 check", "node3 10.99.0.13:3306 check"]
    assert "bind 0.0.0.0:3307" in sections["listen read"]
    assert "balance roundrobin" in sections["listen read"]


def test_a_single_node_takes_reads_too() -> None:
    sections = _sections(_layer(count=1)._configuration())
    assert _servers(sections["listen read"]) == _servers(sections["listen write"])


def test_checks_of_writes_and_reads_use_separate_ports() -> None:
    sections = _sections(_layer(interval=0.25, fall=4, rise=5)._configuration())
    expected = "inter 250 fall 4 rise 5 on-marked-down shutdown-sessions"
    assert f"default-server port 9200 {expected}" in sections["listen write"]
    assert f"default-server port 9201 {expected}" in sections["listen read"]
    assert all("option httpchk GET /" in sections[f"listen {n}"] for n in ("write", "read"))


def test_sessions_of_a_failed_node_may_go_on() -> None:
    assert "shutdown-sessions" not in _layer(shutdown_sessions=False)._configuration()


def test_defaults_are_those_in_common_use() -> None:
    assert "inter 3000 fall 2 rise 1 " in _layer()._configuration()


@settings(max_examples=40, deadline=None)
@given(st.floats(0.001, 3600.0), st.integers(1, 100), st.integers(1, 100))
def test_any_check_is_written_in_whole_milliseconds(interval: float, fall: int, rise: int) -> None:
    text = _layer(interval=interval, fall=fall, rise=rise)._configuration()
    written = re.findall(r"inter (\S+) fall (\d+) rise (\d+) ", text)
    assert len(written) == 2
    assert {(int(found[1]), int(found[2])) for found in written} == {(fall, rise)}
    assert all(abs(int(found[0]) - interval * 1000) <= 0.5 for found in written)


def _entry(tmp_path: Path) -> Haproxy:
    behind = _behind(3)
    for number, node in enumerate(behind.nodes, start=1):
        node.port, node.host = 3306, SimpleNamespace(address=f"10.99.0.{10 + number}")
    behind.node = lambda name: next(node for node in behind.nodes if node.name == name)
    layer = Haproxy(HaproxySettings(kind="haproxy", entry="manager"), behind)
    (tmp_path / "conf").mkdir()
    layer.host = SimpleNamespace(node=tmp_path, address="10.99.0.20")  # type: ignore[assignment]
    layer._leads_to = behind.nodes[0]
    return layer


def test_an_entry_that_a_manager_moves_is_not_checked(tmp_path: Path) -> None:
    layer = _entry(tmp_path)
    sections = _sections(layer._configuration())
    assert sections["listen write"] == ["bind 0.0.0.0:3306", "server entry 10.99.0.11:3306"]
    assert "stats socket ipv4@0.0.0.0:9999 level admin" in sections["global"]
    assert _servers(sections["listen read"])[0].endswith(" check"), "reads are checked as ever"
    assert layer.entry is layer and layer.control == "10.99.0.20:9999"
    assert layer.commands("10.99.0.12")[0] == "set server write/entry addr 10.99.0.12 port 3306"
    usual = _layer()
    assert usual.entry is None
    assert "ipv4@" not in usual._configuration(), "nobody else reaches its runtime API"


@pytest.mark.parametrize(("address", "right"), [("10.99.0.12", True), ("10.99.0.11", False)])
def test_a_moved_entry_outlives_a_restart_and_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, right: bool
) -> None:
    layer = _entry(tmp_path)
    state = f"1\n# be_id be_name srv_id srv_name srv_addr\n3 write 1 entry {address} 2 0\n"
    monkeypatch.setattr(haproxy, "_ask", lambda host, command: state)
    if right:
        layer.moved("node2")
    else:
        with pytest.raises(FiveninesError, match=r"leads to 10\.99\.0\.11, not to node2"):
            layer.moved("node2")
    written = (tmp_path / "conf/haproxy.cfg").read_text()
    assert "server entry 10.99.0.12:3306" in written


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, ""),
        ({"manager": {"kind": "mha"}, "access": {"kind": "haproxy"}}, ""),
        ({"manager": {"kind": "mha"}, "access": {"kind": "haproxy", "entry": "manager"}}, ""),
        ({"access": {"kind": "haproxy", "entry": "manager"}}, "manager operator does not move"),
        (
            {"manager": {"kind": "none"}, "access": {"kind": "haproxy", "entry": "manager"}},
            "manager none does not move HAProxy's entry, mha can: write entry: checks",
        ),
    ],
)
def test_only_managers_with_support_may_move_the_entry(given: dict[str, Any], message: str) -> None:
    made = ReplicationSettings(**{"solution": "replication", **given})
    found = made.checks.problems_with_parts()
    assert [message in one for one in found] == ([True] if message else [])


@pytest.mark.parametrize("wrong", [{"interval": 0}, {"fall": 0}, {"rise": 0}, {"weight": 1}])
def test_invalid_checks_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        HaproxySettings(kind="haproxy", **wrong)


@pytest.mark.parametrize(("hard", "most"), [(10**6, 20_000), (4096, 1848), (256, 64)])
def test_an_ordinary_users_descriptors_are_enough(
    monkeypatch: pytest.MonkeyPatch, hard: int, most: int
) -> None:
    monkeypatch.setattr(haproxy.resource, "getrlimit", lambda what: (0, hard))
    assert f"maxconn {most}" in _sections(_layer()._configuration())["global"]


@pytest.mark.parametrize("reads", [False, True])
def test_clients_find_one_address(reads: bool) -> None:
    layer = _layer(reads=reads)
    layer.host = SimpleNamespace(address="10.99.0.14")  # type: ignore[assignment]
    read = ("10.99.0.14:3307",) if reads else ()
    assert layer.endpoints() == Endpoints(("10.99.0.14:3306",), read, "any", "first")


def test_direct_access_uses_the_solutions_endpoints() -> None:
    behind = _behind(3, "all", True)
    layer = Direct(DirectSettings(), behind)
    layer.start()
    assert layer.endpoints() == behind.endpoints()
    assert layer.software is None
    assert Haproxy.software == "mariadb-10.11"


Answers = Callable[[list[tuple[str, str, str]]], Haproxy]


@pytest.fixture
def answering(tmp_path: Path) -> Iterator[Answers]:
    """Yield an access layer whose HAProxy answers `show stat` once with these rows."""
    (tmp_path / "run").mkdir()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "run/haproxy.sock"))
    listener.listen()
    threads: list[threading.Thread] = []

    def answer(rows: list[tuple[str, str, str]]) -> Haproxy:
        lines = ["# pxname,svname,...", ""]
        lines += [f"{proxy},{name},{',' * 15}{state},rest" for proxy, name, state in rows]

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                assert connection.recv(100) == b"show stat\n"
                connection.sendall("\n".join(lines).encode())

        threads.append(threading.Thread(target=serve, daemon=True))
        threads[-1].start()
        layer = _layer()
        layer.host = SimpleNamespace(node=tmp_path, name="proxy")  # type: ignore[assignment]
        layer._process = SimpleNamespace(alive=True)  # type: ignore[assignment]
        return layer

    yield answer
    for thread in threads:
        thread.join(5.0)
    listener.close()


FRONT = ("write", "FRONTEND", "OPEN")


@pytest.mark.parametrize(
    ("rows", "ready"),
    [
        ([FRONT, ("write", "node1", "UP"), ("write", "node2", "DOWN")], True),
        ([FRONT, ("write", "node1", "DOWN"), ("write", "node2", "DOWN")], False),
        # Before the first check HAProxy reports every server as UP.
        ([FRONT, ("write", "node1", "UP 1/2"), ("write", "node2", "UP")], False),
        ([FRONT, ("write", "BACKEND", "UP"), ("read", "node2", "UP")], False),
        ([], False),
    ],
)
def test_haproxy_is_ready_when_a_node_is_up(
    answering: Answers, rows: list[tuple[str, str, str]], ready: bool
) -> None:
    assert answering(rows)._not_ready() == ("" if ready else "no node is up")


def test_start_waits_until_haproxy_listens(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    layer = _layer()
    layer.host = SimpleNamespace(node=tmp_path)  # type: ignore[assignment]
    layer._process = SimpleNamespace(alive=True)  # type: ignore[assignment]
    assert layer._not_ready() == "no node is up"
    words: Any = SimpleNamespace(alive=False, log_tail=lambda: "[ALERT] cannot bind")
    layer._process = words
    with pytest.raises(FiveninesError, match=r"^HAProxy did not start:\n\[ALERT\] cannot bind$"):
        layer._not_ready()


def test_a_drained_node_gets_neither_writes_nor_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[str] = []

    def ask(_host: object, command: str) -> str:
        commands.append(command)
        return ""

    monkeypatch.setattr(haproxy, "_ask", ask)
    usual, moved = _layer(3), _entry(tmp_path)
    usual.host = moved.host
    usual.drain("node1")
    assert commands == ["set server write/node1 state maint", "shutdown sessions server write/node1"]
    commands.clear()
    usual.undrain("node2")
    assert commands == ["set server write/node2 state ready", "set server read/node2 state ready"]
    commands.clear()
    moved.drain("node3")
    assert commands == ["set server read/node3 state maint", "shutdown sessions server read/node3"]
