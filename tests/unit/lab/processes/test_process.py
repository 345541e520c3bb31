"""A process of the lab: a shell stands for its starter, real children below it."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fivenines.lab.processes.process import Process, tail

Start = Callable[[str], Process]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Runs a script below a shell that does not go away by itself, as a starter does not."""
    begun: list[Process] = []

    def run(script: str) -> Process:
        log = tmp_path / f"{len(begun)}.log"
        with log.open("wb") as output:
            popen = subprocess.Popen(
                ["sh", "-c", 'sh -c "$1"; exit $?', "starter", script],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        begun.append(Process(popen, log))
        return begun[-1]

    yield run
    for process in begun:
        process.kill()
        process.popen.kill()
        process.popen.wait()


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


TREE = "sleep 60 & sh -c 'sleep 60 & sleep 60 & wait' & echo begun; wait"


def test_members_are_the_whole_tree_without_the_starter(start: Start) -> None:
    process = start(TREE)
    _until(lambda: len(process.members()) == 5)
    pids = {member.pid for member in process.members()}
    assert process.popen.pid not in pids
    assert process.members()[0].ppid() == process.popen.pid
    assert process.alive
    # the five exist before the shell has printed its line
    _until(lambda: process.log_tail() == "begun")


def test_a_kill_hits_the_whole_tree_at_once(start: Start) -> None:
    process = start(TREE)
    _until(lambda: len(process.members()) == 5)
    before = set(process.members())
    hit = process.kill()
    assert set(hit) == before
    assert process.gone(hit)
    assert process.wait(5.0)
    assert not process.alive
    assert process.members() == []
    assert process.kill() == []


def test_a_tree_that_keeps_forking_is_hit_all_the_same(start: Start) -> None:
    process = start("fork() { while :; do sleep 60 & sleep 0.001; done; }; fork & fork & wait")
    _until(lambda: len(process.members()) > 8)
    hit = process.kill()
    assert process.gone(hit)
    assert process.wait(5.0)
    assert not any(member.is_running() and member.status() != "zombie" for member in hit)


def test_a_running_process_has_not_ended(start: Start) -> None:
    process = start("sleep 60")
    _until(lambda: bool(process.members()))
    members = process.members()
    assert not process.gone(members, timeout=0.03)
    process.kill()
    assert process.gone(members)
    assert process.gone([])


def test_a_termination_reaches_the_command_and_is_waited_for(start: Start) -> None:
    process = start("trap 'echo bye; exit 3' TERM; echo begun; while :; do sleep 0.01; done")
    _until(lambda: process.log_tail() == "begun")
    process.terminate()
    assert process.popen.returncode == 3
    assert process.log_tail() == "begun\nbye"


def test_who_does_not_listen_to_a_termination_is_killed(start: Start) -> None:
    process = start("trap '' TERM; echo begun; while :; do sleep 0.01; done")
    _until(lambda: process.log_tail() == "begun")
    process.terminate(timeout=0.1)
    assert process.popen.returncode == 128 + signal.SIGKILL


def test_an_interruption_goes_to_the_command_and_not_to_its_children(start: Start) -> None:
    process = start(
        "sh -c 'trap \"echo child\" USR1; echo ready; while :; do sleep 0.01; done' & "
        "trap 'echo command' USR1; while :; do sleep 0.01; done"
    )
    _until(lambda: process.log_tail() == "ready")
    process.interrupt(signal.SIGUSR1)
    _until(lambda: process.log_tail() != "ready")
    time.sleep(0.05)
    assert process.log_tail() == "ready\ncommand"


def test_a_wait_has_an_end(start: Start) -> None:
    process = start("sleep 60")
    assert not process.wait(0.02)
    ended = start("exit 4")
    assert ended.wait(5.0)
    assert ended.popen.returncode == 4
    ended.terminate()
    ended.interrupt(signal.SIGTERM)


def test_a_process_without_a_log_has_no_tail(start: Start) -> None:
    assert Process(start("exit 0").popen, None).log_tail() == ""


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        (b"", 3, ""),
        (b"one\ntwo\nthree\n", 2, "two\nthree"),
        (b"no end", 3, "no end"),
        (b"\xff\xfe broken\n", 1, "�� broken"),
        (b"x" * 5000 + b"\nlast", 2, "x" * 795 + "\nlast"),
    ],
)
def test_the_tail_of_a_file(tmp_path: Path, text: bytes, lines: int, expected: str) -> None:
    file = tmp_path / "log"
    file.write_bytes(text)
    assert tail(file, lines) == expected
