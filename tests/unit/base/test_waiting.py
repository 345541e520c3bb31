"""Waiting for something that should happen soon."""

import pytest
from fake_clock import FakeClock

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until, wait_while_moving


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
