"""Wait for a condition."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from fivenines.base.errors import FiveninesError


@dataclass(frozen=True)
class Clock:
    """What a wait reads and sleeps by; a test passes one that only pretends to sleep.

    Attributes:
        now: returns seconds from any fixed moment.
        sleep: returns after a number of seconds.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


MONOTONIC = Clock()
"""The clock of this machine, CLOCK_MONOTONIC."""


def wait_until(
    condition: Callable[[], str], timeout: float, what: str, interval: float = 0.02, clock: Clock = MONOTONIC
) -> None:
    """Wait until `condition` returns no reason any more.

    Raises:
        FiveninesError: it still had one after `timeout` seconds.
    """
    deadline = clock.now() + timeout
    reason = condition()
    while reason:
        if clock.now() > deadline:
            raise FiveninesError(f"{what} within {timeout:.3g} s: {reason}")
        clock.sleep(interval)
        reason = condition()


def wait_while_moving(
    condition: Callable[[], str], patience: float, what: str, interval: float = 0.2, clock: Clock = MONOTONIC
) -> None:
    """Wait until `condition` returns no reason any more, as long as its reason changes.

    Raises:
        FiveninesError: it gave the same reason for `patience` seconds.
    """
    reason = condition()
    since = clock.now()
    while reason:
        clock.sleep(interval)
        before, reason = reason, condition()
        if reason != before:
            since = clock.now()
        elif clock.now() - since > patience:
            raise FiveninesError(f"{what}, and nothing moved for {patience:.3g} s: {reason}")
