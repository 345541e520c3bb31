"""Wait for a condition, or for data."""

import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

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


class Open(Protocol):
    """A file, pipe or socket."""

    def fileno(self) -> int:
        """Return its descriptor."""
        ...


def is_ready(seconds: float, read: Sequence[int | Open] = (), write: Sequence[int | Open] = ()) -> bool:
    """Return whether one of some descriptors can be read, or one of others written, within `seconds`.

    An end of file and an error can be read. Unlike select(2), poll(2) takes descriptors above 1023, which a
    process with many hosts has.
    """
    waits = select.poll()
    for one in read:
        waits.register(one, select.POLLIN)
    for one in write:
        waits.register(one, select.POLLOUT)
    return bool(waits.poll(max(0.0, seconds) * 1000))


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
