"""What the live page itself costs: CPU of its process and of what that has started."""

import resource
import time
from pathlib import Path

from fivenines.observe.processes import SERVE

_COMM = Path("/proc/self/comm")


def tell_name() -> None:
    """Call this process by the name under which runs count it (`observe.machine`); proc(5)."""
    _COMM.write_text(SERVE, encoding="ascii")


def seconds() -> float:
    """CPU seconds used so far, with children that have ended."""
    found = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        found += used.ru_utime + used.ru_stime
    return found


class Usage:
    """The share of a core that was used of late."""

    def __init__(self) -> None:
        self._then = (time.monotonic(), seconds())
        self.percent = 0.0

    def look(self) -> float:
        """Percent of a core, over the last second or more."""
        now, used = time.monotonic(), seconds()
        then, before = self._then
        if now - then >= 1.0:
            self.percent = round(100 * (used - before) / (now - then), 2)
            self._then = (now, used)
        return self.percent
