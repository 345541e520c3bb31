"""Waiting for something that should happen soon."""

import time
from collections.abc import Callable

from fivenines.errors import FiveninesError


def wait_until(
    condition: Callable[[], str], timeout: float, what: str, interval: float = 0.02
) -> None:
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
