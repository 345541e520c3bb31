"""The CPU usage of the web server and its children."""

import resource
import time
from pathlib import Path

from fivenines.trial.observers.processes import SERVE

_COMM = Path("/proc/self/comm")


def set_name() -> None:
    """Set the process name by which runs recognise the server (`trial.observers.machine`); proc(5)."""
    _COMM.write_text(SERVE, encoding="ascii")


def seconds() -> float:
    """Return the CPU seconds used so far, including ended children."""
    found = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        found += used.ru_utime + used.ru_stime
    return found


class Usage:
    """The recent CPU usage."""

    def __init__(self) -> None:
        self._then = (time.monotonic(), seconds())
        self.percent = 0.0

    def look(self) -> float:
        """Return the usage over the last second or more, in percent of a core."""
        now, used = time.monotonic(), seconds()
        then, before = self._then
        if now - then >= 1.0:
            self.percent = round(100 * (used - before) / (now - then), 2)
            self._then = (now, used)
        return self.percent
