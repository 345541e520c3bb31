"""Locks: alone or shared, refused or waited for, by whom, and free when their owner is gone."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from fivenines.base import locks
from fivenines.base.errors import FiveninesError, UsageError

HOLDER = """
import sys
from pathlib import Path
from fivenines.base import locks
lock = locks.take(Path(sys.argv[1]), alone=sys.argv[2] == "alone")
print("held", flush=True)
sys.stdin.readline()
lock.release()
"""

Hold = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep/lock"


@pytest.fixture
def hold(path: Path) -> Iterator[Hold]:
    """Other processes that hold the lock, `alone` or `shared`, until they are stopped."""
    begun: list[subprocess.Popen[str]] = []

    def start(how: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(path), how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        return process

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def _refused(path: Path) -> str:
    with pytest.raises(UsageError) as refused, locks.held(path, "the house", "come back later"):
        pytest.fail("it is held by another")
    return str(refused.value)


@pytest.mark.parametrize("how", ["alone", "shared"])
def test_who_comes_second_is_reported_by_whom_it_is_held(path: Path, hold: Hold, how: str) -> None:
    other = hold(how)
    message = _refused(path)
    assert message.startswith(f"the house is in use by process {other.pid} (`-c {path} {how}`, since 20")
    assert message.endswith(": come back later")
    assert len(message.splitlines()) == 1
    assert locks.is_held(path)
    with pytest.raises(UsageError, match="the house is in use"):
        locks.require_free(path, "the house", "")


def test_a_killed_owner_holds_nothing(path: Path, hold: Hold) -> None:
    other = hold("alone")
    other.kill()
    other.wait()
    assert [holder.alive for holder in locks.holders(path)] == [False]
    with locks.held(path, "the house", ""):
        assert [holder.pid for holder in locks.holders(path)] == [os.getpid()]


def test_several_share_it_and_the_last_one_leaves_nothing(path: Path, hold: Hold) -> None:
    first, second = hold("shared"), hold("shared")
    assert f"process {first.pid} " in _refused(path) and " and 1 more: " in _refused(path)
    first.communicate("\n")
    assert f"process {second.pid} " in _refused(path)
    second.communicate("\n")
    assert not locks.is_held(path)
    assert path.read_text() == ""


@pytest.mark.parametrize("killed", [False, True])
def test_a_lock_is_waited_for_and_freed_by_an_end(path: Path, hold: Hold, killed: bool) -> None:
    other = hold("alone")
    waited: list[str] = []

    def waiting(who: str) -> None:
        waited.append(who)
        assert other.poll() is None
        if killed:
            other.kill()
        else:
            assert other.stdin is not None
            other.stdin.write("\n")
            other.stdin.flush()

    with locks.one_at_a_time(path, waiting):
        other.wait(5.0)
    assert len(waited) == 1 and waited[0].startswith(f"process {other.pid} (")


def test_who_shares_waits_for_who_is_alone(path: Path, hold: Hold) -> None:
    other = hold("alone")
    with locks.shared(path, lambda _who: other.kill()), locks.shared(path, pytest.fail):
        other.wait(5.0)


def test_two_processes_never_hold_it_together(tmp_path: Path) -> None:
    script = (
        "import sys, time\nfrom pathlib import Path\n"
        "from fivenines.base import locks\n"
        "folder = Path(sys.argv[1])\n"
        "for _ in range(20):\n"
        # The file is removed with the lock: a process that opened it before must not use it as the lock.
        "    lock = locks.take(folder / 'lock', waiting=lambda who: None)\n"
        "    (folder / 'inside').mkdir()\n"  # fails if another process is inside
        "    time.sleep(0.001)\n"
        "    (folder / 'inside').rmdir()\n"
        "    lock.release(remove=True)\n"
    )
    racers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) for _ in range(3)]
    assert [racer.wait(20.0) for racer in racers] == [0, 0, 0]
    assert not (tmp_path / "lock").exists()


def test_an_own_error_frees_the_lock(path: Path) -> None:
    with pytest.raises(ValueError), locks.held(path, "", ""):
        raise ValueError
    assert not locks.is_held(path)


def test_a_child_that_outlives_its_parent_does_not_hold_its_lock(path: Path) -> None:
    script = (
        "import subprocess, sys\nfrom pathlib import Path\nfrom fivenines.base import locks\n"
        "lock = locks.take(Path(sys.argv[1]))\n"
        "quiet = subprocess.DEVNULL\n"
        "print(subprocess.Popen(['sleep', '60'], stdout=quiet, stderr=quiet).pid)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    child = psutil.Process(int(done.stdout))
    try:
        assert child.name() == "sleep" and not locks.is_held(path)
    finally:
        child.kill()


def test_threads_of_one_process_exclude_each_other(path: Path) -> None:
    with locks.held(path, "", ""):
        found: list[bool] = []
        thread = threading.Thread(target=lambda: found.append(locks.is_held(path)))
        thread.start()
        thread.join()
    assert found == [True]


def test_a_place_where_no_lock_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FiveninesError, match=r"/file: cannot create a lock file: "):
        locks.take(tmp_path / "file/lock")


def test_what_is_no_holder_is_passed_over(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('garbage\n{"pid": 1}\n[]\n')
    assert locks.holders(path) == []
    assert locks.described(path) == "another process"
    assert not locks.is_held(path)


def test_who_waits_is_served_in_the_end(path: Path) -> None:
    """Many that wait at once, each for a moment."""
    served: list[int] = []

    def serve(number: int) -> None:
        with locks.one_at_a_time(path, lambda _who: None):
            served.append(number)
            time.sleep(0.002)

    threads = [threading.Thread(target=serve, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(served) == list(range(8))
