"""Who belongs to a command; what a kill of forking servers needs is in tests/lab/lab/test_lab_lab.py."""

import os
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from fivenines.lab.processes.orphans import Orphans, pid_namespace


@pytest.fixture
def sleeping() -> Iterator[psutil.Process]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield psutil.Process(process.pid)
    process.kill()
    process.wait()


def test_ignores_processes_of_the_machines_own_namespace(sleeping: psutil.Process) -> None:
    orphans = Orphans.of([sleeping])
    assert not orphans.programs
    assert orphans.unseen([sleeping]) == []


def test_kin_are_younger_than_all_that_were_seen(sleeping: psutil.Process) -> None:
    assert Orphans.of([psutil.Process(), sleeping]).since == sleeping.create_time()
    assert Orphans.of([]).unseen([]) == []


def test_a_process_that_has_ended_has_no_namespace(sleeping: psutil.Process) -> None:
    assert pid_namespace(sleeping.pid) == pid_namespace(os.getpid()) != ""
    sleeping.kill()
    sleeping.wait()
    assert pid_namespace(sleeping.pid) == ""
    assert Orphans.of([sleeping]).programs == frozenset()
