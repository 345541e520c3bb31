"""Monitoring of clocks, suspension, pauses and the disk: reported and ignored incidents."""

import errno
import itertools
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base import space
from fivenines.base.errors import FiveninesError, NoSpaceError
from fivenines.trial import machine_watch
from fivenines.trial.machine_watch import INTERVAL, Clocks, MachineWatch, incidents

_START = Clocks(monotonic=1000.0, boot=1500.0, real=1.7e9, cpu=10.0)


def _later(passed: float = INTERVAL, slept: float = 0.0, set_by: float = 0.0, cpu: float = 0.0) -> Clocks:
    return Clocks(
        _START.monotonic + passed,
        _START.boot + passed + slept,
        _START.real + passed + slept + set_by,
        _START.cpu + cpu,
    )


@pytest.mark.parametrize(
    ("now", "messages"),
    [
        (_later(), []),
        (_later(passed=1.9), []),
        (_later(slept=60), ["the machine was suspended for 60.00 s"]),
        (_later(set_by=3600), ["the machine's clock was set forward by 3600.00 s"]),
        (_later(set_by=-0.5), ["the machine's clock was set back by 0.50 s"]),
        (
            _later(slept=5, set_by=0.2),
            ["the machine was suspended for 5.00 s", "the machine's clock was set forward by 0.20 s"],
        ),
        (
            _later(passed=60.25),
            ["fivenines paused for 60.0 s: it was stopped, or its machine was paused or overloaded"],
        ),
        # a process that computes is not paused
        (_later(passed=8, cpu=7.5), []),
    ],
)
def test_what_happened_between_two_looks(now: Clocks, messages: list[str]) -> None:
    assert incidents(_START, now) == messages


@given(
    passed=st.floats(0, 3.2), slew=st.floats(-0.0005, 0.0005), blur=st.floats(0, 2), share=st.floats(-1, 1)
)
def test_a_clock_that_is_slewed_and_read_slowly_was_not_set(
    passed: float, slew: float, blur: float, share: float
) -> None:
    """The kernel slews by 500 ppm; what a reading took is what it can be wrong by."""
    now = _later(passed=passed, set_by=slew * passed + share * blur)
    assert incidents(_START, replace(now, blur=blur)) == []


def test_nothing_is_told_of_a_quiet_machine(tmp_path: Path) -> None:
    with MachineWatch(tmp_path) as watch:
        time.sleep(2.5 * INTERVAL)
    assert watch.incidents == []
    watch.require_space()


def test_what_happens_while_it_watches_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = machine_watch.read
    looks = itertools.count()
    # from the second look on the clock is two seconds ahead
    monkeypatch.setattr(
        machine_watch, "read", lambda: replace(item := real(), real=item.real + 2 * (next(looks) > 0))
    )
    with MachineWatch(tmp_path) as watch:
        time.sleep(2.5 * INTERVAL)
    assert watch.incidents == ["the machine's clock was set forward by 2.00 s"]


def test_a_disk_that_was_full_for_a_while_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = iter([2**30, 3 * 2**20])
    monkeypatch.setattr(space, "free", lambda folder: next(result, 2**30))
    with MachineWatch(tmp_path) as watch:
        time.sleep(2.5 * INTERVAL)
    with pytest.raises(NoSpaceError) as refused:
        watch.require_space()
    assert str(refused.value) == (
        f"the disk under {tmp_path} is full (3MiB were left): free some space there"
    )


def test_an_error_on_a_full_disk_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError), space.reported(tmp_path):
        raise ValueError
    # who fails may have made room by that
    with pytest.raises(NoSpaceError, match=r"/.* is full: free"), space.reported(tmp_path):
        raise ValueError("initdb: could not write: No space left on device")
    monkeypatch.setattr(space, "free", lambda folder: 4096)
    with pytest.raises(NoSpaceError, match=r"is full \(4KiB were left\)"), space.reported(tmp_path):
        raise ValueError
    with pytest.raises(NoSpaceError, match="mine"), space.reported(tmp_path):
        raise NoSpaceError("mine")


def _no_room(message: str, code: int = errno.ENOSPC) -> FiveninesError:
    """As a module of ours wraps it."""
    error = FiveninesError(message)
    error.__cause__ = OSError(code, os.strerror(code))
    return error


def _wrapped() -> NoSpaceError:
    """Return a library that has no number for it."""
    error = NoSpaceError("tables/usage.parquet cannot be written: No space left on device")
    error.__cause__ = ValueError("IO Error")
    return error


@pytest.mark.parametrize(
    "failed",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        _no_room("tables/usage.parquet cannot be written"),
        _wrapped(),
        FiveninesError("the load generator failed: No space left on device (os error 28)"),
    ],
)
def test_who_finds_no_room_between_two_looks_stops_the_campaign(tmp_path: Path, failed: Exception) -> None:
    def perform() -> None:
        raise failed

    with pytest.raises(NoSpaceError, match=rf"the disk under {tmp_path} is full: free some"):
        machine_watch.watched(tmp_path, perform)


@pytest.mark.parametrize(
    "failed",
    [
        FiveninesError("node2 did not start: could not write: No space left on device"),
        _no_room("tables/usage.parquet cannot be written", errno.EACCES),
    ],
)
def test_a_server_on_the_full_disk_of_a_fault_breaks_only_its_trial(
    tmp_path: Path, failed: Exception
) -> None:
    def perform() -> None:
        raise failed

    assert machine_watch.watched(tmp_path, perform) == (None, str(failed))


def test_free_space_is_that_of_the_nearest_folder(tmp_path: Path) -> None:
    assert space.free(tmp_path / "not/yet") == pytest.approx(space.free(tmp_path), rel=0.1)
