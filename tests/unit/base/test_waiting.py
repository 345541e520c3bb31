"""Waiting for something that should happen soon."""

import fcntl
import os
import resource
import socket

import pytest
from fake_clock import FakeClock

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import is_ready, wait_until, wait_while_moving


@pytest.fixture
def time() -> FakeClock:
    return FakeClock(lambda: 0.0)


def test_waiting_ends_as_soon_as_there_is_no_reason_left(time: FakeClock) -> None:
    reasons = iter(["not yet", "still not", ""])
    wait_until(lambda: next(reasons), 5.0, "it did not come", 0.5, time.clock())
    assert list(reasons) == []
    assert time.monotonic() == 1.0, "two intervals"


def test_what_is_true_already_is_not_waited_for(time: FakeClock) -> None:
    wait_until(lambda: "", 0.0, "it did not come", 60.0, time.clock())
    assert time.monotonic() == 0.0


def test_the_last_reason_is_reported(time: FakeClock) -> None:
    reasons = iter(range(10**6))
    with pytest.raises(FiveninesError, match=r"^it did not come within 2 s: reason 5$"):
        wait_until(lambda: f"reason {next(reasons)}", 2.0, "it did not come", 0.5, time.clock())


def test_an_error_of_the_condition_is_not_swallowed() -> None:
    def broken() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        wait_until(broken, 5.0, "it did not come")


def test_what_moves_is_waited_for_beyond_the_patience(time: FakeClock) -> None:
    reasons = iter([f"{n} of 20" for n in range(20)] + [""])
    wait_while_moving(lambda: next(reasons), 2.0, "it did not end", 1.5, time.clock())
    assert list(reasons) == []
    assert time.monotonic() == 30.0


def test_what_stands_still_is_not(time: FakeClock) -> None:
    reasons = iter(["1 of 2"] + ["2 of 2"] * 10**6)
    with pytest.raises(FiveninesError, match=r"^it did not end, and nothing moved .*: 2 of 2$"):
        wait_while_moving(lambda: next(reasons), 2.0, "it did not end", 1.5, time.clock())
    assert time.monotonic() == 4.5, "the reason changed after the first interval"


def test_by_default_the_clock_is_that_of_the_machine() -> None:
    reasons = iter(["not yet", ""])
    wait_until(lambda: next(reasons), 60.0, "it did not come", 0.001)
    assert list(reasons) == []


def test_a_descriptor_is_ready_for_what_it_can_do() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert not is_ready(0.0, [ours])
        assert is_ready(0.0, write=[ours])
        theirs.send(b"x")
        assert is_ready(1.0, [ours])
        ours.recv(1)
        theirs.close()
        assert is_ready(1.0, [ours.fileno()]), "an end of file can be read"


def test_a_descriptor_above_the_limit_of_select_is_waited_for() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1100), hard))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        high = fcntl.fcntl(ours, fcntl.F_DUPFD_CLOEXEC, 1024)
        try:
            assert not is_ready(0.0, [high])
            theirs.send(b"x")
            assert is_ready(1.0, [high])
        finally:
            os.close(high)
