"""Waiting for something that should happen soon."""

import pytest

from fivenines.errors import FiveninesError
from fivenines.waiting import wait_until, wait_while_moving


def test_waiting_ends_as_soon_as_there_is_no_reason_left() -> None:
    reasons = iter(["not yet", "still not", ""])
    wait_until(lambda: next(reasons), 5.0, "it did not come", interval=0.001)
    assert list(reasons) == []


def test_what_is_true_already_is_not_waited_for() -> None:
    wait_until(lambda: "", 0.0, "it did not come", interval=60.0)


def test_the_last_reason_is_told() -> None:
    reasons = iter(range(10**6))
    with pytest.raises(FiveninesError, match=r"^it did not come within 0\.05 s: reason [1-9]\d*$"):
        wait_until(lambda: f"reason {next(reasons)}", 0.05, "it did not come", interval=0.01)


def test_an_error_of_the_condition_is_not_swallowed() -> None:
    def broken() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        wait_until(broken, 5.0, "it did not come")


def test_what_moves_is_waited_for_beyond_the_patience() -> None:
    reasons = iter([f"{n} of 20" for n in range(20)] + [""])
    wait_while_moving(lambda: next(reasons), 0.05, "it did not end", interval=0.01)
    assert list(reasons) == []


def test_what_stands_still_is_not() -> None:
    reasons = iter(["1 of 2"] + ["2 of 2"] * 10**6)
    with pytest.raises(FiveninesError, match=r"^it did not end, and nothing moved .*: 2 of 2$"):
        wait_while_moving(lambda: next(reasons), 0.05, "it did not end", interval=0.01)
