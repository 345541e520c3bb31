"""Test the fault `manager-freeze`: the manager stops, and servers that it has started go on."""

import subprocess
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from fivenines.base import core
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.waiting import wait_until
from fivenines.experiment.source import parse_experiment
from fivenines.faults.context import FaultContext
from fivenines.faults.services.manager_freeze import ManagerFreeze, ManagerFreezeSettings
from fivenines.lab.processes.process import OwnProcess

PACEMAKER = "replicas: 2, manager: pacemaker, access: virtual-address"
FAULT = ManagerFreeze(ManagerFreezeSettings(fault="manager-freeze"))


@pytest.fixture
def manager() -> Iterator[OwnProcess]:
    """A manager whose child is a server."""
    started = subprocess.Popen(["sh", "-c", "sleep 600 & echo; wait"], stdout=subprocess.PIPE)
    assert started.stdout is not None
    started.stdout.readline()
    process = OwnProcess(started, None)
    # Until then the child is a second shell.
    wait_until(lambda: "" if process.members()[1].name() == "sleep" else "a shell", 60.0, "no server", 0.01)
    yield process
    process.kill()
    started.wait()
    started.stdout.close()


class Server:
    """The server that the manager has started."""

    def __init__(self, manager: OwnProcess) -> None:
        self.name = "node1"
        self.process = SimpleNamespace(members=lambda: manager.members()[1:])


def _context(programs: dict[str, list[OwnProcess]], server: Server, own_host: str = "") -> FaultContext:
    """Return a cluster with one node whose manager has these programs, by host."""
    primary = SimpleNamespace(target=lambda _role: server)
    topology = SimpleNamespace(words=(), votes=1)
    solution = SimpleNamespace(members=[server], nodes=[server], roles=primary, topology=topology)
    manager = SimpleNamespace(settings=SimpleNamespace(host=own_host), programs=lambda name: programs[name])
    solution.failover_programs = lambda name: [] if own_host else programs[name]
    deployed: Any = SimpleNamespace(solution=solution, manager=manager if own_host else None)
    return FaultContext(deployed)


@pytest.mark.parametrize("host", ["node1", "manager"])
def test_the_manager_stops_and_its_server_goes_on(manager: OwnProcess, host: str) -> None:
    node = Server(manager)
    context = _context({host: [manager]}, node, "manager" if host == "manager" else "")
    injection = FAULT.inject(context)
    own, server = manager.members()
    assert (injection.verified, injection.hosts, injection.role) == (True, (host,), "manager")
    assert injection.detail == "SIGSTOP to 1 processes of the manager"
    assert own.status() == psutil.STATUS_STOPPED
    assert server.status() != psutil.STATUS_STOPPED
    assert injection.servers == ((node,) if host == "node1" else ()), "Patroni's server may be replaced"
    recovery = FAULT.recover(context, injection)
    assert recovery.verified and own.status() != psutil.STATUS_STOPPED


def test_the_program_that_a_faulty_disk_needs_goes_on(
    manager: OwnProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Our program serves each flush of the server; here the shell stands for it, above the manager.
    own, below = manager.members()
    monkeypatch.setattr(core, "NAME", own.name())
    nothing: Any = SimpleNamespace(name="node1", process=None)
    injection = FAULT.inject(_context({"node1": [manager]}, nothing))
    assert injection.detail == "SIGSTOP to 1 processes of the manager"
    assert own.status() != psutil.STATUS_STOPPED and below.status() == psutil.STATUS_STOPPED


def test_only_hosts_with_a_program_are_hit(manager: OwnProcess) -> None:
    server: Any = SimpleNamespace(name="node1", process=None)
    context = _context({"node1": [manager], "client": []}, server)
    members = {"east": ["node1", "client"]}
    deployed: Any = context.deployed
    deployed.lab = SimpleNamespace(sites=SimpleNamespace(members=lambda: members))
    fault = ManagerFreeze(ManagerFreezeSettings(fault="manager-freeze", target="site east"))
    assert fault.inject(context).hosts == ("node1",)


def test_a_manager_that_died_meanwhile_needs_no_end(manager: OwnProcess) -> None:
    context = _context({"node1": [manager]}, Server(manager))
    injection = FAULT.inject(context)
    manager.gone(manager.kill())
    recovery = FAULT.recover(context, injection)
    assert (recovery.verified, "killed meanwhile" in recovery.detail) == (True, True)


def test_a_deployment_without_such_a_program_is_refused(manager: OwnProcess) -> None:
    with pytest.raises(FiveninesError, match="no program that manages failover"):
        FAULT.inject(_context({"node1": []}, Server(manager)))


@pytest.mark.parametrize(
    ("solution", "words"),
    [
        ("{solution: galera}", "no program that manages its failover"),
        ("{solution: hot-standby, manager: none}", "no program that manages its failover"),
        ("{solution: patroni}", ""),
        ("{solution: hot-standby, manager: operator}", ""),
        ("{solution: replication, manager: mha}", ""),
        (f"{{solution: replication, mode: after_sync, {PACEMAKER}}}", ""),
        ("{solution: drbd}", "managers in virtual machines cannot be frozen"),
    ],
)
def test_which_solutions_have_one_is_known_before(solution: str, words: str) -> None:
    text = f"name: x\ntrials: 1\nsolutions: [{solution}]\nworkloads: [oltp_read_only]\n"
    text += "connections: [1]\nfaults: [manager-freeze]\ntiming: {recovery: 30s}\n"
    if not words:
        assert parse_experiment(text, "x.yaml").faults[0].lasts == 5.0
        return
    with pytest.raises(UsageError) as refused:
        parse_experiment(text, "x.yaml")
    assert words in " ".join(str(refused.value).split())
