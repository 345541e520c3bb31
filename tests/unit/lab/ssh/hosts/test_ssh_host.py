"""The parts of a host on another machine, without a connection to it."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.faults.network import roundtrip
from fivenines.lab.host import Root
from fivenines.lab.ssh.host import SshHost


class Connection:
    """A machine that records the commands that it should run."""

    def __init__(self) -> None:
        self.name = "machine"
        self.machine = SimpleNamespace(address="192.0.2.1", folder="/var/lib/fivenines")
        self.needed: list[list[str]] = []
        self.alive = True

    def need(self, command: list[str], **_more: Any) -> str:
        self.needed.append(command)
        return ""


@pytest.fixture
def connection() -> Any:
    return Connection()


@pytest.fixture
def host(tmp_path: Path, connection: Any, monkeypatch: pytest.MonkeyPatch) -> SshHost:
    made = SshHost("node1", tmp_path, Root(), connection, "/there/node1", 10.0, ["192.0.2.2"])
    made._service.core = "/there/core"
    monkeypatch.setattr(made._service, "engine", lambda _folder: "/there/python")
    monkeypatch.setattr(made.commands, "take_over", lambda: None)
    return made


def test_a_command_is_translated_for_the_other_machine(
    host: SshHost, connection: Any, tmp_path: Path
) -> None:
    lent = tmp_path / "load"
    host.files.lend(lent)
    assert connection.needed == [["mkdir", "-p", "/there/node1/lent1"]]
    script = str(Path(roundtrip.__file__))
    way = host.commands.outside(
        [str(core_binary()), sys.executable, script, f"--out={lent}/x", f"{host.node}/conf"]
    )
    words = way[way.index("--") + 1 :]
    assert words[0] == "/there/core"
    assert words[1] == "env" and words[4].startswith("/there/python/")
    assert words[5].endswith("/fivenines/faults/network/roundtrip.py") and words[5].startswith(
        "/there/python/"
    )
    assert words[6:] == ["--out=/there/node1/lent1/x", "/there/node1/node/conf"]
    assert host.commands.inside(["id"], 999)[-4:] == ["--place=inside", "--uid=999", "--", "id"]


def test_a_host_on_another_machine_has_no_place_here(host: SshHost) -> None:
    for refused in (lambda: host.pid, lambda: host.port.ear(1), lambda: host.port.knocking(b"", 1.0)):
        with pytest.raises(FiveninesError, match=r"^node1 is on another machine$"):
            refused()
    assert host.address == "192.0.2.1" and host.peers == ("192.0.2.2/32",)


def test_before_its_start_it_is_off_and_has_no_clock(host: SshHost) -> None:
    assert not host.power.is_on and host.processes.running() == []
    host.require_sound()
    with pytest.raises(FiveninesError, match=r"^host node1 is not running$"):
        host.clock.our_moment(1)


def test_an_address_is_given_to_the_machine_and_taken_back(
    host: SshHost, connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(host._service, "ask", asked.append)
    host.addresses.give("192.0.2.9")
    (given,) = connection.needed
    assert given[:4] == ["/there/core", "remote", "address", "give"]
    assert "--address=192.0.2.9" in given and "--own=192.0.2.1" in given
    (registered,) = asked
    assert registered["undo"]["command"][3] == "take", "the machine takes it back by itself when we are gone"
    host.addresses.keep_only_own()
    assert connection.needed[1][3] == "take"
    assert asked[1]["undo"]["command"] == [], "and no longer once it is taken back"
    assert host.addresses.extra == []
    host.addresses.keep_only_own()
    assert len(connection.needed) == 2


def test_a_fenced_host_has_no_processes_and_no_further_address(
    host: SshHost, connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    living = [(7, "stat", "statm", "io")]

    def ask(question: Any) -> str:
        if question == "kill_all":
            living.clear()
        return json.dumps(living) if question == "processes" else ""

    monkeypatch.setattr(host._service, "ask", ask)
    monkeypatch.setattr(host._service, "_server", object())
    host.addresses.give("192.0.2.9")
    assert not host.power.is_idle
    host.power.cut()
    assert host.power.is_idle and host.power.is_on, "its machine stays on"
    assert [command[3] for command in connection.needed] == ["give", "take"]
