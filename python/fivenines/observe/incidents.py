"""What servers write into their logs about time that nobody got, and about each other.

A log costs a server nothing that it would not spend anyway, and has the moment to the millisecond, where a
counter that is asked once a second only has the second. PostgreSQL and NDB's data nodes tell; MariaDB and
MySQL count, see `servers/mysql_family/counters.py`.
"""

import csv
from functools import cached_property
from pathlib import Path
from typing import Any

from fivenines.observe.base import Observer
from fivenines.results.layout import NOT_OBSERVED
from fivenines.servers.incidents import Incident, LogReader


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
        return bool(self.settings.counters) and not external and bool(self._logs)

    def start(self, started_ns: int) -> None:
        self._started_ns = started_ns
        self._from = {name: _size(log) for name, (log, _) in self._logs.items()}

    def stop(self) -> None:
        with (self.out / "incidents.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(self.columns_of("incidents"))
            hosts = self.deployed.lab.hosts
            for name, (log, reader) in self._logs.items():
                # the wall clock at t = 0, as both clocks stand now
                start_ms = (hosts[name].day_ahead_ns() + self._started_ns) / 1e6
                found = reader.read(_lines(log, self._from.get(name, 0)))
                unseen = [Incident(start_ms, NOT_OBSERVED, 0.0, reader.unseen)] if reader.unseen else []
                for one in [*unseen, *found]:
                    row = (round(one.unix_ms - start_ms, 1), name, one.kind, one.ms, one.detail)
                    writer.writerow(row)

    @cached_property
    def _logs(self) -> dict[str, tuple[Path, LogReader]]:
        found = {one.name: (one.log, one.log_reader()) for one in self.deployed.solution.members}
        return {name: (log, reader) for name, (log, reader) in found.items() if reader is not None}


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
