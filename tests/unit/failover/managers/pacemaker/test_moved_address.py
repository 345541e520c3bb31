"""The agent of an address that is moved by request: its script, and what the lab does."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from script_host import ScriptHost

from fivenines.base.errors import FiveninesError
from fivenines.failover import requests
from fivenines.failover.managers.pacemaker import moved_address
from fivenines.failover.requests import Requests

ADDRESS = "192.0.2.250"


class Machine(ScriptHost):
    """A host whose machine gets addresses; a program `ip` shows them."""

    def __init__(self, folder: Path) -> None:
        super().__init__("node1", folder)
        self.refusal = ""
        self._file = folder / "addresses"
        self._file.write_text("")
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.bin / "ip").write_text(f"#!/bin/sh\ncat {self._file}\n")
        (self.bin / "ip").chmod(0o755)

    @property
    def addresses(self) -> "Machine":
        return self

    def give(self, extra: str) -> None:
        if self.refusal:
            raise FiveninesError(self.refusal)
        self._file.write_text(f"2: eth0    inet {extra}/24 scope global secondary eth0\n")

    def take(self, extra: str) -> None:
        assert extra in self._file.read_text()
        self._file.write_text("")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    host: Any = Machine(tmp_path)
    serving = Requests([host], moved_address.SERVES)
    yield host
    serving.stop()


def run(machine: Machine, action: str) -> "subprocess.CompletedProcess[str]":
    text = moved_address.agent(requests.script())
    path = f"PATH={machine.bin}:/usr/bin:/bin"
    return machine.script(["env", path, f"OCF_RESKEY_ip={ADDRESS}", "sh", "-c", text, "agent", action])


def test_the_address_is_where_it_was_started(machine: Machine) -> None:
    assert run(machine, "monitor").returncode == 7, "OCF_NOT_RUNNING"
    assert run(machine, "start").returncode == 0
    assert run(machine, "monitor").returncode == 0
    assert run(machine, "stop").returncode == 0
    assert run(machine, "monitor").returncode == 7
    assert run(machine, "stop").returncode == 0, "stopping what does not run succeeds"


def test_another_address_does_not_count(machine: Machine) -> None:
    machine.give("192.0.2.25")
    assert run(machine, "monitor").returncode == 7


def test_a_refusal_is_in_the_log(machine: Machine) -> None:
    machine.refusal = "node1: the connection was lost\nto 192.0.2.1"
    failed = run(machine, "start")
    assert failed.returncode == 1
    assert "the address was not moved: node1: the connection was lost to 192.0.2.1" in failed.stderr


def test_the_agent_describes_itself(machine: Machine) -> None:
    described = Xml.fromstring(run(machine, "meta-data").stdout)
    assert {one.get("name") for one in described.iter("action")} >= {"start", "stop", "monitor"}
    assert run(machine, "paint").returncode == 3, "OCF_ERR_UNIMPLEMENTED"


def test_the_resource_is_of_our_provider() -> None:
    found = moved_address.resource(ADDRESS)
    assert (found.provider, found.agent, found.parameters) == ("fivenines", "address", {"ip": ADDRESS})
