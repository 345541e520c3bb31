"""What PostgreSQL's log tells of deadlocks, lock waits and checkpoints.

Lines of PostgreSQL 15 to 18 (manual, "Error Reporting and Logging": log_lock_waits, log_checkpoints).
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from fivenines.servers.incidents import Incident

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) (?:GMT|UTC) \[\d+\] (ERROR|LOG):  (.*)"
)
_WAITED = re.compile(r"process \d+ (?:still waiting for|acquired) (\w+) on (.+) after ([\d.]+) ms$")
_CHECKPOINT = re.compile(r"checkpoint complete: .*sync=([\d.]+) s, total=([\d.]+) s")


def incidents(lines: Iterable[str]) -> Iterator[Incident]:
    """The incidents in lines of PostgreSQL's log; all other lines are passed over."""
    for line in lines:
        match = _LINE.match(line.rstrip("\n"))
        if match is None:
            continue
        moment, level, text = match.groups()
        when = datetime.strptime(moment, "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=UTC)
        unix_ms = when.timestamp() * 1000
        if level == "ERROR" and text.startswith("deadlock detected"):
            yield Incident(unix_ms, "deadlock", 0.0, "")
        elif waited := _WAITED.match(text):
            yield Incident(unix_ms, "lock wait", float(waited[3]), f"{waited[1]} on {waited[2]}")
        elif checkpoint := _CHECKPOINT.match(text):
            detail = f"sync {checkpoint[1]} s"
            yield Incident(unix_ms, "checkpoint", 1000 * float(checkpoint[2]), detail)
