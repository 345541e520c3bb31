"""Test the verification of faults on processes, with real processes."""

import subprocess
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from pydantic import ValidationError

from fivenines.faults.context import FaultContext
from fivenines.faults.nodes.freeze import Freeze, FreezeSettings
from fivenines.faults.nodes.kill import Kill, KillSettings
from fivenines.lab.processes import look
from fivenines.lab.processes.process import Process


@pytest.fixture
def process() -> Iterator[Process]:
    """A server of three processes, below a process that stands for their starter."""
    popen = subprocess.Popen(["sh", "-c", "sh -c 'sleep 60 & sleep 60 & wait'; exit $?"])
    process = Process(popen, None)
    deadline = time.monotonic() + 5.0
    while len(process.members()) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    yield process
    process.kill()
    popen.wait()


def _context(process: Any) -> FaultContext:
    node = SimpleNamespace(name="node2", process=process)
    roles = SimpleNamespace(target=lambda _role: node)
    solution = SimpleNamespace(nodes=[node], roles=roles, topology=SimpleNamespace(words={}))
    return FaultContext(SimpleNamespace(solution=solution))


@pytest.mark.parametrize("role", ["primary", "replica"])
def test_kill_ends_all_processes_of_the_target(process: Process, role: str) -> None:
    before = time.monotonic_ns()
    injection = Kill(KillSettings(fault="kill", target=role)).inject(_context(process))
    assert before <= injection.monotonic_ns <= time.monotonic_ns()
    assert (injection.hosts, injection.role) == (("node2",), role)
    assert [server.name for server in injection.servers] == ["node2"]
    assert injection.verified
    assert injection.detail == "SIGKILL to 3 processes"
    assert process.wait(5.0)
    assert process.members() == []


def test_kill_without_a_process_is_not_verified() -> None:
    popen = subprocess.Popen(["true"])
    popen.wait()
    injection = Kill(KillSettings(fault="kill")).inject(_context(Process(popen, None)))
    assert not injection.verified
    assert injection.detail == "SIGKILL to 0 processes"


def test_kill_names_surviving_processes(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    members = process.members()
    # The signal is lost.
    monkeypatch.setattr(look, "send", lambda _process, _number: None)
    monkeypatch.setattr(process, "gone", lambda _processes: False)
    injection = Kill(KillSettings(fault="kill")).inject(_context(process))
    assert not injection.verified
    assert injection.detail == f"processes {[member.pid for member in members]} are still running"


def test_freeze_stops_and_resumes_processes(process: Process) -> None:
    members, context = process.members(), _context(process)
    fault = Freeze(FreezeSettings(fault="freeze"))
    injection = fault.inject(context)
    assert injection.verified
    assert injection.detail == "SIGSTOP to 3 processes"
    assert [member.status() for member in members] == [psutil.STATUS_STOPPED] * 3
    assert process.frozen
    recovery = fault.recover(context, injection)
    assert (recovery.verified, recovery.detail) == (True, "SIGCONT to 3 processes")
    assert psutil.STATUS_STOPPED not in [member.status() for member in members]
    assert not process.frozen


def test_freeze_ends_without_a_process_to_resume(process: Process) -> None:
    context = _context(process)
    fault = Freeze(FreezeSettings(fault="freeze"))
    injection = fault.inject(context)
    assert process.gone(process.kill())
    assert process.wait(5.0), "the starter sees the end of its child"
    recovery = fault.recover(context, injection)
    assert recovery.verified
    assert recovery.detail == "no process to resume: all were killed meanwhile"


def test_duration_of_a_fault() -> None:
    assert KillSettings(fault="kill").lasts == 5.0
    assert KillSettings(fault="kill", restart_after=None).lasts is None
    assert KillSettings(fault="kill", restart_after=0).lasts == 0
    assert FreezeSettings(fault="freeze", duration=2).lasts == 2.0
    ended = Kill(KillSettings(fault="kill")).recover(_context(None), None)  # type: ignore[arg-type]
    assert (ended.verified, ended.detail) == (True, "")
    assert ended.monotonic_ns == pytest.approx(time.monotonic_ns(), abs=10**9)


@pytest.mark.parametrize("word", ["proxy", "client", "node", "node0", "site x y", "Primary", ""])
def test_refuses_an_unknown_target(word: str) -> None:
    with pytest.raises(ValidationError, match="is not a target"):
        KillSettings(fault="kill", target=word)
