"""Who is below a process, as the kernel's lists and the parents of all processes tell it."""

import os
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from fivenines.base.waiting import wait_until
from fivenines.lab.processes import tree as process_tree

CHAIN = """
import subprocess, sys, threading, time
def more(): subprocess.Popen(["sleep", "600"])
subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600 & wait"])
# of a thread, too
thread = threading.Thread(target=lambda: (more(), time.sleep(600)))
thread.start()
"""


@pytest.fixture
def top() -> Iterator[psutil.Process]:
    process = subprocess.Popen([sys.executable, "-c", CHAIN], start_new_session=True)
    own = psutil.Process(process.pid)
    wait_until(lambda: _missing(own), 20.0, "it did not start all")
    yield own
    for one in [*own.children(recursive=True), own]:
        one.kill()
    process.wait()


def _missing(top: psutil.Process) -> str:
    there = len(top.children(recursive=True))
    return "" if there == 4 else f"{there} of 4 are there"


@pytest.fixture(params=[True, False], ids=["lists", "parents"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        assert process_tree._has_lists(), "this kernel keeps no lists of children"
    else:
        monkeypatch.setattr(process_tree, "_has_lists", lambda: False)


@pytest.mark.usefixtures("way")
def test_all_generations_are_below_and_parents_come_first(top: psutil.Process) -> None:
    found = process_tree.below(top.pid)
    assert set(found) == set(top.children(recursive=True)) and len(found) == 4
    pids = [top.pid, *(one.pid for one in found)]
    assert all(one.ppid() in pids[: pids.index(one.pid)] for one in found)
    assert set(process_tree.children(top.pid)) == set(top.children())
    assert top in process_tree.children(os.getpid())


@pytest.mark.usefixtures("way")
def test_an_ended_process_has_no_descendants() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert process_tree.below(process.pid) == process_tree.children(process.pid) == []
