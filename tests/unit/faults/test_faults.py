"""Faults: that they really happen is verified, here with real processes."""

import subprocess
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from fivenines.faults.kill import Kill, KillSettings
from fivenines.faults.none import NoFault, NoFaultSettings
from fivenines.lab.process import Process


@pytest.fixture
def process() -> Iterator[Process]:
    """A server of three processes, below what stands for nsenter."""
    popen = subprocess.Popen(["sh", "-c", "sh -c 'sleep 60 & sleep 60 & wait'; exit $?"])
    process = Process(popen, None)
    deadline = time.monotonic() + 5.0
    while len(process.members()) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    yield process
    process.kill()
    popen.wait()


def _solution(process: Any) -> Any:
    asked: list[str] = []
    node = SimpleNamespace(name="node2", process=process)

    def target(role: str) -> Any:
        asked.append(role)
        return node

    return SimpleNamespace(target=target, asked=asked, node=node)


@pytest.mark.parametrize("role", ["primary", "replica"])
def test_a_kill_ends_all_processes_of_the_target(process: Process, role: str) -> None:
    solution = _solution(process)
    before = time.monotonic_ns()
    strike = Kill(KillSettings(fault="kill", target=role)).strike(solution)  # type: ignore[arg-type]
    assert before <= strike.monotonic_ns <= time.monotonic_ns()
    assert (strike.node, strike.role, solution.asked) == (solution.node, role, [role])
    assert strike.verified
    assert strike.detail == "SIGKILL to 3 processes"
    assert process.wait(5.0)
    assert process.members() == []


def test_a_kill_of_nothing_is_not_verified() -> None:
    popen = subprocess.Popen(["true"])
    popen.wait()
    strike = Kill(KillSettings(fault="kill")).strike(_solution(Process(popen, None)))
    assert not strike.verified
    assert strike.detail == "SIGKILL to 0 processes"


def test_processes_that_survive_are_named(process: Process) -> None:
    members = process.members()

    def gone(hit: Any) -> bool:
        return False

    survivors = SimpleNamespace(kill=lambda: members, gone=gone)
    strike = Kill(KillSettings(fault="kill")).strike(_solution(survivors))
    assert not strike.verified
    assert strike.detail == f"processes {[member.pid for member in members]} are still there"


def test_when_a_node_is_mended() -> None:
    assert Kill(KillSettings(fault="kill")).mend_after == 5.0
    assert Kill(KillSettings(fault="kill", restart_after=None)).mend_after is None
    assert Kill(KillSettings(fault="kill", restart_after=0)).mend_after == 0
    assert Kill(KillSettings(fault="kill")).strikes


def test_no_fault_never_strikes() -> None:
    fault = NoFault(NoFaultSettings())
    assert not fault.strikes
    assert fault.mend_after is None
    with pytest.raises(AssertionError):
        fault.strike(_solution(None))


def test_a_role_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValidationError):
        KillSettings(fault="kill", target="down")  # type: ignore[arg-type]
