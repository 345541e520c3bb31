"""Waiting for something that should happen soon."""

import time
from collections.abc import Callable

from fivenines.errors import FiveninesError


def wait_until(condition: Callable[[], str], timeout: float, what: str, interval: float = 0.02) -> None:
    """Wait until `condition` returns no reason any more.

    Raises:
        FiveninesError: it still had one after `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    reason = condition()
    while reason:
        if time.monotonic() > deadline:
            raise FiveninesError(f"{what} within {timeout:.3g} s: {reason}")
        time.sleep(interval)
        reason = condition()


def wait_while_moving(
    condition: Callable[[], str], patience: float, what: str, interval: float = 0.2
) -> None:
    """Wait until `condition` returns no reason any more, as long as its reason changes.

    Raises:
        FiveninesError: it gave the same reason for `patience` seconds.
    """
    reason = condition()
    since = time.monotonic()
    while reason:
        time.sleep(interval)
        before, reason = reason, condition()
        if reason != before:
            since = time.monotonic()
        elif time.monotonic() - since > patience:
            raise FiveninesError(f"{what}, and nothing moved for {patience:.3g} s: {reason}")
