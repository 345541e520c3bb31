"""Resynchronisations that DRBD's module has logged in the log of a node's kernel (dmesg(1))."""

import re
from dataclasses import dataclass

_DONE = re.compile(
    r"^(?P<stamp>\[[^\]]*\]).*Resync done \(total (?P<seconds>\d+) sec; paused \d+ sec; "
    r"(?P<rate>\d+) K/sec\)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Resync:
    """A finished resynchronisation: time stamp of the kernel, duration in seconds, bytes per second."""

    stamp: str
    seconds: int
    rate: int

    @property
    def detail(self) -> str:
        """Return its description for an event."""
        # The kernel counts whole seconds, and at least one.
        return f"resynchronisation: {self.seconds} s, {self.rate / 1e6:.1f} MB/s"


def resyncs(log: str) -> list[Resync]:
    """Return all finished resynchronisations in their order."""
    return [
        Resync(match["stamp"], int(match["seconds"]), 1024 * int(match["rate"]))
        for match in _DONE.finditer(log)
    ]
