"""What Patroni's log tells of a failover, in the words of failover managers.

The lines are those of Patroni 3.0 and 4.1. Times are UTC, as our daemon sets TZ.
"""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

from fivenines.lab.process import tail
from fivenines.managers.events import ManagerEvent

_LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (\w+): (.*)")


class Follower:
    """Reads the log of one node's Patroni, each line once.

    Args:
        file: the log; it may not be there yet.
        node: whose log it is.
    """

    def __init__(self, file: Path, node: str) -> None:
        self._file = file
        self._node = node

    def last_line(self) -> str:
        """The message of the last line; empty: there is none."""
        lines = tail(self._file, 1).splitlines()
        match = _LINE.match(lines[-1]) if lines else None
        return match[3] if match else ""

    def events(self) -> list[ManagerEvent]:
        return []


def last_promoted(events: list[ManagerEvent]) -> str:
    """The node that was promoted last; empty: none."""
    return next((event.node for event in reversed(events) if event.kind == "promoted"), "")
