"""What servers write into their logs about time that nobody got: deadlocks, lock waits, checkpoints.

A log costs a server nothing that it would not spend anyway, and has the moment to the millisecond, where a
counter that is asked once a second only has the second. Lines of PostgreSQL 15 to 18 (manual, "Error
Reporting and Logging": log_lock_waits, log_checkpoints); MariaDB and MySQL count, see `counters_mariadb`.
"""

import csv
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fivenines.observe.base import Observer

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) (?:GMT|UTC) \[\d+\] (ERROR|LOG):  (.*)"
)
_WAITED = re.compile(r"process \d+ (?:still waiting for|acquired) (\w+) on (.+) after ([\d.]+) ms$")
_CHECKPOINT = re.compile(r"checkpoint complete: .*sync=([\d.]+) s, total=([\d.]+) s")


@dataclass(frozen=True)
class Incident:
    """What a line tells: `unix_ms` when it was written, `ms` how long it had lasted by then."""

    unix_ms: float
    kind: str
    ms: float
    detail: str


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


class IncidentObserver(Observer):
    """Table `incidents`: what each server's log tells of the time of the load, read when it is over."""

    tables = ("incidents",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._started_ns = 0
        self._from: dict[str, int] = {}

    @property
    def wanted(self) -> bool:
        # logs of servers that others run are not ours to read
        external = self.deployed.solution.settings.external
        return bool(self.settings.counters) and not external and bool(self._logs())

    def start(self, started_ns: int) -> None:
        self._started_ns = started_ns
        self._from = {name: _size(log) for name, log in self._logs().items()}

    def stop(self) -> None:
        # the wall clock at t = 0, as both clocks stand now
        start_ms = (time.time_ns() - time.monotonic_ns() + self._started_ns) / 1e6
        with (self.out / "incidents.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(self.columns_of("incidents"))
            for name, log in self._logs().items():
                for one in incidents(_lines(log, self._from.get(name, 0))):
                    row = (round(one.unix_ms - start_ms, 1), name, one.kind, one.ms, one.detail)
                    writer.writerow(row)

    def _logs(self) -> dict[str, Path]:
        nodes = self.deployed.solution.nodes
        return {node.name: node.log for node in nodes if node.driver == "postgres"}


def _size(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0


def _lines(log: Path, position: int) -> list[str]:
    """The lines after a position; from the beginning where the log has been begun again."""
    try:
        with log.open("rb") as stream:
            stream.seek(position if position <= _size(log) else 0)
            return stream.read().decode(errors="replace").splitlines()
    except OSError:
        return []
