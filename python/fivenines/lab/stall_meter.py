"""Stalls of this machine: moments in which a timer or a flush to disk took much longer than it should.

A timer of 5 ms that fires late shows that this process did not run: its CPU time went to other processes, or
to other machines of the hypervisor (Gil Tene's jHiccup measures in the same way). CLOCK_BOOTTIME also counts
the time in which a machine is suspended.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

# Seconds from one timer to the next, and from one flush to the next.
TIMER = 0.005
FLUSHES = 0.1

_BLOCK = bytes(4096)


@dataclass(frozen=True)
class Stall:
    """One stall: its start (Unix time) and its length, both in seconds."""

    start: float
    length: float


@dataclass(frozen=True)
class Clock:
    """The clock of a measurement, in seconds."""

    now: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME)
    unix: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


def of_timers(seconds: float, at_least: float, clock: Clock | None = None) -> Iterator[Stall | None]:
    """Yield the stalls of this machine's CPUs as they end, and None about once a second.

    Args:
        seconds: how long to watch.
        at_least: the shortest lateness that is a stall, in seconds.
        clock: the clock; None: the machine's.
    """
    clock = clock or Clock()
    return _watched(seconds, at_least, lambda: clock.sleep(TIMER), TIMER, 0.0, clock)


def of_disk(folder: Path, seconds: float, at_least: float) -> Iterator[Stall | None]:
    """Yield the stalls of a disk, flushes of 4 KiB that take `at_least` seconds or longer, and None as above.

    Raises:
        OSError: the folder cannot be written to.
    """
    file = folder / f".fivenines-stalls-{os.getpid()}"
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def flush() -> None:
        os.pwrite(opened, _BLOCK, 0)
        os.fsync(opened)

    try:
        yield from _watched(seconds, at_least, flush, 0.0, FLUSHES, Clock())
    finally:
        os.close(opened)
        file.unlink()


def _watched(
    seconds: float, at_least: float, act: Callable[[], None], usual: float, pause: float, clock: Clock
) -> Iterator[Stall | None]:
    """Time `act` again and again; a stall is what it takes longer than `usual`."""
    begun = shown = clock.now()
    while (before := clock.now()) < begun + seconds:
        act()
        after = clock.now()
        late = after - before - usual
        if late >= at_least:
            yield Stall(clock.unix() - late, late)
        if after - shown >= 1.0:
            shown = after
            yield None
        if pause:
            clock.sleep(pause)
