"""The power switch, called by the fence agent's own script."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from script_host import ScriptHost

from fivenines.base.errors import FiveninesError
from fivenines.failover import requests
from fivenines.failover.managers.pacemaker import power_switch
from fivenines.failover.managers.pacemaker.power_switch import PowerSwitch
from fivenines.failover.requests import Requests


class Machine(ScriptHost):
    """A host with two processes that end when they are killed, unless they are stubborn."""

    def __init__(self, name: str, folder: Path, stubborn: bool = False) -> None:
        super().__init__(name, folder)
        self.stubborn = stubborn
        self.running = 2

    @property
    def power(self) -> "Machine":
        return self

    @property
    def is_idle(self) -> bool:
        return self.running == 0

    def cut(self) -> None:
        self.running = self.running if self.stubborn else 0


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Machine]]:
    monkeypatch.setattr(power_switch, "_PATIENCE", 0.1)
    hosts = {name: Machine(name, tmp_path, name == "node3") for name in ("node1", "node2", "node3")}
    listed: Any = list(hosts.values())
    serving = Requests(listed, PowerSwitch(listed).serves)
    yield hosts
    serving.stop()


def ask(machine: Machine, *wishes: str) -> "subprocess.CompletedProcess[str]":
    request = requests.script().replace(f"timeout {requests._PATIENCE}", "timeout 1")
    text = power_switch.agent(request)
    return machine.script(["sh", "-c", text], "".join(f"{one}\n" for one in wishes))


def test_a_node_switches_off_another(machines: dict[str, Machine]) -> None:
    asking = machines["node2"]
    assert ask(asking, "action=status", "nodename=node1", "port=node1").returncode == 0
    assert ask(asking, "action=off", "port=node1").returncode == 0
    assert machines["node1"].running == 0 and machines["node2"].running == 2
    assert ask(asking, "action=status", "port=node1").returncode == 2


def test_a_node_that_was_switched_off_gets_no_answer(machines: dict[str, Machine]) -> None:
    machines["node1"].running = 0
    refused = ask(machines["node1"], "action=off", "port=node2")
    assert refused.returncode == 1 and "does not answer" in refused.stderr
    assert machines["node2"].running == 2


def test_fencing_can_fail(machines: dict[str, Machine]) -> None:
    assert ask(machines["node1"], "action=off", "port=node3").returncode == 1
    assert ask(machines["node1"], "action=off", "port=nobody").returncode == 1
    assert ask(machines["node1"], "action=off").returncode == 1
    assert ask(machines["node1"], "action=explode", "port=node2").returncode == 1


def test_processes_that_do_not_end_are_reported(machines: dict[str, Machine]) -> None:
    stubborn: Any = machines["node3"]
    with pytest.raises(FiveninesError, match="node3 could not be switched off"):
        power_switch.power_off(stubborn)


def test_the_agent_describes_itself(machines: dict[str, Machine]) -> None:
    metadata = ask(machines["node1"], "option=metadata", "action=metadata")
    described = Xml.fromstring(metadata.stdout.strip())
    assert described.get("name") == power_switch.AGENT
    actions = {one.get("name") for one in described.iter("action")}
    assert {"off", "status", "monitor"} <= actions
    assert ask(machines["node1"], "action=monitor").returncode == 0
