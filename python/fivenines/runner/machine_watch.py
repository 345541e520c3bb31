"""The watch over the machine while a trial runs: its clocks, its sleep, our own pauses, and the disk.

What a trial measures is worth nothing if the machine was suspended, if somebody set its clock, or if the
controller stood still meanwhile, and a server that finds no room on our disk fails by our fault. All of that
is seen by looking a few times a second, and told by name.

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

from fivenines import space
from fivenines.errors import NoSpaceError
from fivenines.lab.closing import Closing

T = TypeVar("T")

# Seconds between two looks.
INTERVAL = 0.25

# Seconds that the clock may move by itself, or the machine sleep: two slots of the time line.
STEP = 0.02

# What clocks may drift apart, in shares of the time between two looks; the kernel slews by half of it.
DRIFT = 0.001

# Seconds that the controller may stand still: less than that, a busy machine can be the cause.
PAUSE = 3.0

_TRIES = 5


@dataclass(frozen=True)
class Clocks:
    """All clocks at one moment, in seconds; `blur` is how long the reading took."""

    monotonic: float
    boot: float
    real: float
    # Used by this process.
    cpu: float
    blur: float = 0.0


def read() -> Clocks:
    """Return the clocks now: of a few readings the quickest, as we may be interrupted between two of them."""
    return min((_reading() for _ in range(_TRIES)), key=lambda item: item.blur)


def _reading() -> Clocks:
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    boot = time.clock_gettime(time.CLOCK_BOOTTIME)
    real = time.clock_gettime(time.CLOCK_REALTIME)
    after = time.clock_gettime(time.CLOCK_MONOTONIC)
    return Clocks(before, boot, real, time.process_time(), after - before)


def incidents(before: Clocks, now: Clocks) -> list[str]:
    """Return what happened to the machine between two looks: sentences."""
    passed = now.monotonic - before.monotonic
    slept = now.boot - before.boot - passed
    stepped = now.real - before.real - passed - slept
    bound = STEP + DRIFT * passed + before.blur + now.blur
    # whoever computes without a look at the clock is not paused
    still = passed - INTERVAL - (now.cpu - before.cpu)
    result = []
    if slept > bound:
        result.append(f"the machine was suspended for {slept:.2f} s")
    if abs(stepped) > bound:
        way = "forward" if stepped > 0 else "back"
        result.append(f"the machine's clock was set {way} by {abs(stepped):.2f} s")
    if still > PAUSE:
        result.append(
            f"fivenines stood still for {still:.1f} s: it was stopped, or its machine paused or overloaded"
        )
    return result


class MachineWatch(Closing):
    """A context manager that watches until its end.

    Args:
        folder: on whose disk the trial works.
    """

    def __init__(self, folder: Path) -> None:
        self.incidents: list[str] = []
        self.least_free = space.free(folder)
        self._folder = folder
        self._last = read()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="vigil", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Look a last time."""
        self._over.set()
        self._thread.join()
        self._look()

    def require_space(self) -> None:
        """Make sure that there was always room on the trial's disk.

        Raises:
            NoSpaceError: there was not.
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
    """Do something under watch: what it gives, and why that is worth nothing; empty: it is sound.

    Args:
        folder: on whose disk it works.
        perform: what is to be done; whatever it raises is a reason.
        passes: errors that are not reasons, and pass.

    Raises:
        NoSpaceError: the disk was full at some time.
    """
    result, reasons = None, []
    with MachineWatch(folder) as machine_watch:
        try:
            machine_watch.require_space()
            result = perform()
        except Exception as error:
            # whoever failed may have made room again, before the next look
            if space.ran_out(error):
                raise space.full(folder, machine_watch.least_free) from error
            if isinstance(error, (NoSpaceError, *passes)):
                raise
            reasons.append(str(error) or type(error).__name__)
    machine_watch.require_space()
    return result, "; ".join([*machine_watch.incidents, *reasons])
