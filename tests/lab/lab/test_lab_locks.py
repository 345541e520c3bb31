"""Resources in use are neither removed nor entered by a second process, which gets the name of the owner."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_cache import with_engine
from lab_support import GENTLE, HEAD, LIMIT, fivenines, program, timing

from fivenines.base import locks
from fivenines.results import layout, store

_SOLUTION = "solutions: [{solution: standalone, engine: postgres-18}]\n"


class Place:
    """Provide a folder with a separate cache that has PostgreSQL and no data sets yet."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, with_engine(folder, "postgres-18")
        self.env = {"FIVENINES_CACHE": str(self.cache)}

    def start(self, name: str, steady: float) -> "subprocess.Popen[bytes]":
        (self.folder / f"{name}.yaml").write_text(
            HEAD + _SOLUTION + GENTLE + timing(recovery=1, steady=steady)
        )
        with (self.folder / f"{name}.output").open("wb") as log:
            return subprocess.Popen(
                program("run", f"{name}.yaml", "--out", name),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "COLUMNS": "200", **self.env},
            )

    def output(self, name: str) -> str:
        return (self.folder / f"{name}.output").read_text()

    def call(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return fivenines(*arguments, cwd=self.folder, env=self.env)

    def refuses(self, *arguments: str) -> str:
        done = self.call(*arguments)
        assert done.returncode == 2, (arguments, done.stdout, done.stderr)
        return done.stderr


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def _until(what: Callable[[], bool], running: "subprocess.Popen[bytes]", place: Place) -> None:
    deadline = time.monotonic() + LIMIT
    while not what():
        assert running.poll() is None, [path.read_text() for path in place.folder.glob("*.output")]
        assert time.monotonic() < deadline, [path.read_text() for path in place.folder.glob("*.output")]
        time.sleep(0.02)


def _loading(place: Place) -> bool:
    lock_files = (place.cache / "data").glob("postgres-18-*.lock")
    return any(locks.holders(path) for path in lock_files if ".used." not in path.name)


def test_a_run_in_progress_is_protected_and_a_second_one_can_run(place: Place) -> None:
    first = place.start("first", steady=1000)
    try:
        _second_run(place, first)
    finally:
        first.kill()
        first.wait()
    # Dead processes hold no locks.
    resumed = place.call("run", "first.yaml", "--out", "first", "--resume", "--dry-run")
    assert resumed.returncode == 0, resumed.stderr
    removed = place.call("results", "rm", "first", "--yes")
    assert removed.returncode == 0 and not (place.folder / "first").exists(), removed.stderr
    gone = place.call("engines", "remove", "postgres-18")
    assert gone.returncode == 0, gone.stderr
    assert not (place.cache / "engines/postgres-18").exists()


def _second_run(place: Place, first: "subprocess.Popen[bytes]") -> None:
    # Both runs use the same data set: the second starts while the first loads it.
    _until(lambda: _loading(place), first, place)
    first.send_signal(signal.SIGSTOP)
    second = place.start("second", steady=1)
    waiting = f"waiting for process {first.pid} ("
    _until(lambda: waiting in place.output("second"), second, place)
    first.send_signal(signal.SIGCONT)
    begun = place.folder / "first/trials/.0001.part/observed/hosts.csv"
    _until(begun.exists, first, place)

    files = sorted(path.name for path in (place.folder / "first").iterdir())
    in_use = f"in use by process {first.pid} ("
    for arguments in (
        ("results", "rm", "first", "--yes"),
        ("run", "first.yaml", "--out", "first", "--resume"),
        ("run", "first.yaml", "--out", "first"),
        ("results", "rm", "second", "first", "--yes"),
    ):
        message = place.refuses(*arguments)
        # Of the two, the second may still be in use, and is then named first.
        both = "second" in arguments and f"second is in use by process {second.pid} (" in message
        assert both or f"first is {in_use}" in message, message
        assert len(message.splitlines()) == 1, message
    assert "since 20" in message
    for remove in (("engines", "remove", "postgres-18"),):
        message = place.refuses(*remove)
        assert "the engine postgres-18 is in use by process " in message, message
    assert sorted(path.name for path in (place.folder / "first").iterdir()) == files
    assert {layout.LOCK, layout.MANIFEST} <= set(files)
    assert place.call("report", "first", "--format", "json").returncode == 0

    assert second.wait(LIMIT) == 0, place.output("second")
    assert len(store.open_run(place.folder / "second").complete) == 1
    assert not (place.folder / "second" / layout.LOCK).exists()
    assert first.poll() is None, place.output("first")
