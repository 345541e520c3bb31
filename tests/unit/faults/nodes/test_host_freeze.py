"""Test the fault `host-freeze`: all processes of a host stop and resume, also those that start meanwhile."""

import subprocess
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from fivenines.faults.context import FaultContext
from fivenines.faults.nodes.host_freeze import HostFreeze, HostFreezeSettings
from fivenines.lab.namespaces.processes import NamespaceProcesses

FAULT = HostFreeze(HostFreezeSettings(fault="host-freeze"))


class Listed(NamespaceProcesses):
    """The processes of a host, from a list; the last one starts while the others are signalled."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        self._all = processes
        self._known = len(processes) - 1

    def running(self) -> list[psutil.Process]:
        known, self._known = self._known, len(self._all)
        return [process for process in self._all[:known] if process.is_running()]


@pytest.fixture
def host() -> Iterator[list[psutil.Process]]:
    """Three processes."""
    started = [subprocess.Popen(["sleep", "600"]) for _ in range(3)]
    yield [psutil.Process(process.pid) for process in started]
    for process in started:
        process.kill()
        process.wait()


def _context(processes: list[psutil.Process]) -> tuple[FaultContext, Any]:
    server = SimpleNamespace(name="node1", process=SimpleNamespace(frozen=False))
    roles = SimpleNamespace(target=lambda _role: server)
    topology = SimpleNamespace(words=(), votes=1)
    solution = SimpleNamespace(nodes=[server], roles=roles, topology=topology)
    lab = SimpleNamespace(hosts={"node1": SimpleNamespace(processes=Listed(processes))})
    deployed: Any = SimpleNamespace(solution=solution, lab=lab)
    return FaultContext(deployed), server


def test_all_processes_stop_and_resume(host: list[psutil.Process]) -> None:
    context, server = _context(host)
    injection = FAULT.inject(context)
    assert (injection.verified, injection.hosts, injection.servers) == (True, ("node1",), (server,))
    assert injection.detail == "SIGSTOP to 3 processes of the host"
    assert {process.status() for process in host} == {psutil.STATUS_STOPPED}
    assert server.process.frozen, "a server that stands still is not waited for"
    recovery = FAULT.recover(context, injection)
    assert recovery.verified and recovery.detail == "SIGCONT to 3 processes of the host"
    assert psutil.STATUS_STOPPED not in {process.status() for process in host}
    assert not server.process.frozen


def test_a_host_whose_processes_were_killed_needs_no_end(host: list[psutil.Process]) -> None:
    context, _ = _context(host)
    injection = FAULT.inject(context)
    for process in host:
        process.kill()
        process.wait(10)
    recovery = FAULT.recover(context, injection)
    assert recovery.verified and "killed meanwhile" in recovery.detail


def test_a_host_without_a_process_is_not_verified() -> None:
    context, _ = _context([])
    assert not FAULT.inject(context).verified
