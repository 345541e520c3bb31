"""Monitoring of the machine during a trial: its clocks, suspension, pauses of the controller, and the disk.

A trial is invalid if the machine was suspended, if its clock was set, or if the controller paused meanwhile.
A server that fails for lack of disk space fails because of fivenines. Polling a few times per second detects
all of these, and each is reported.

Sources: clock_gettime(2). CLOCK_BOOTTIME counts the time in which a machine is suspended, CLOCK_MONOTONIC
does not; neither is moved by settimeofday(2), by which CLOCK_REALTIME is; adjtime(3) slews all of them alike.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from fivenines.base import space
from fivenines.base.errors import NoSpaceError
from fivenines.base.threads import Background
from fivenines.lab.closing import Closing

T = TypeVar("T")

# Polling interval in seconds.
INTERVAL = 0.25

# Permitted clock step or suspension in seconds: two slots of the time line.
STEP = 0.02

# Permitted drift of clocks, as a share of the polling interval; the kernel slews by half of it.
DRIFT = 0.001

# Permitted pause of the controller in seconds: a busy machine may cause shorter ones.
PAUSE = 3.0

_TRIES = 5


@dataclass(frozen=True)
class Clocks:
    """All clocks at one moment, in seconds; `blur` is the duration of the reading."""

    monotonic: float
    boot: float
    real: float
    # CPU time of this process.
    cpu: float
    blur: float = 0.0


def read() -> Clocks:
    """Return the clocks now: the quickest of several readings, as the process may be interrupted between
    two.
    """
    return min((_reading() for _ in range(_TRIES)), key=lambda item: item.blur)


def _reading() -> Clocks:
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    boot = time.clock_gettime(time.CLOCK_BOOTTIME)
    real = time.clock_gettime(time.CLOCK_REALTIME)
    after = time.clock_gettime(time.CLOCK_MONOTONIC)
    return Clocks(before, boot, real, time.process_time(), after - before)


def incidents(before: Clocks, now: Clocks) -> list[str]:
    """Return a sentence for each incident of the machine between two readings."""
    passed = now.monotonic - before.monotonic
    slept = now.boot - before.boot - passed
    stepped = now.real - before.real - passed - slept
    bound = STEP + DRIFT * passed + before.blur + now.blur
    # A process that computes is not paused.
    still = passed - INTERVAL - (now.cpu - before.cpu)
    result = []
    if slept > bound:
        result.append(f"the machine was suspended for {slept:.2f} s")
    if abs(stepped) > bound:
        way = "forward" if stepped > 0 else "back"
        result.append(f"the machine's clock was set {way} by {abs(stepped):.2f} s")
    if still > PAUSE:
        result.append(
            f"fivenines paused for {still:.1f} s: it was stopped, or its machine was paused or overloaded"
        )
    return result


class MachineWatch(Closing):
    """A context manager that monitors the machine.

    Args:
        folder: folder on the trial's disk.
    """

    def __init__(self, folder: Path) -> None:
        self.incidents: list[str] = []
        self.least_free = space.free(folder)
        self._folder = folder
        self._last = read()
        self._over = threading.Event()
        self._thread = Background(target=self._watch, name="vigil")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Check a last time, and stop."""
        self._over.set()
        self._thread.join()
        self._look()

    def require_space(self) -> None:
        """Check that the trial's disk always had free space.

        Raises:
            NoSpaceError: the disk was full.
        """
        if self.least_free < space.LEAST:
            raise space.full(self._folder, self.least_free)

    def _watch(self) -> None:
        while not self._over.wait(INTERVAL):
            self._look()

    def _look(self) -> None:
        now = read()
        self.incidents += incidents(self._last, now)
        self._last = now
        with suppress(OSError):
            self.least_free = min(self.least_free, space.free(self._folder))


def watched(
    folder: Path, perform: Callable[[], T], passes: tuple[type[Exception], ...] = ()
) -> tuple[T | None, str]:
    """Run a function while the machine is monitored; return its result, and why it is invalid (empty: valid).

    Args:
        folder: folder on the disk that it uses.
        perform: the function; an exception is a reason.
        passes: exceptions that are raised instead.

    Raises:
        NoSpaceError: the disk was full at some time.
    """
    result, reasons = None, []
    with MachineWatch(folder) as machine_watch:
        try:
            machine_watch.require_space()
            result = perform()
        except Exception as error:
            # The failed process may have freed space before the next poll.
            if space.ran_out(error):
                raise space.full(folder, machine_watch.least_free) from error
            if isinstance(error, (NoSpaceError, *passes)):
                raise
            reasons.append(str(error) or type(error).__name__)
    machine_watch.require_space()
    return result, "; ".join([*machine_watch.incidents, *reasons])
