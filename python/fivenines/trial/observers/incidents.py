"""Collect stalls and events about other servers from the servers' logs.

A log causes no extra work and has times in milliseconds, while counters are sampled once per second.
PostgreSQL and NDB's data nodes log such incidents; MariaDB and MySQL count them, see
`servers/mysql_family/counters.py`.
"""

import csv
from functools import cached_property
from pathlib import Path
from typing import Any

from fivenines.results.layout import NOT_OBSERVED
from fivenines.servers.incidents import Incident, LogReader
from fivenines.trial.observers.base import Observer


class IncidentObserver(Observer):
    """Table `incidents`: incidents during the load from each server's log, read after the load."""

    tables = ("incidents",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._started_ns = 0
        self._from: dict[str, int] = {}

    @property
    def wanted(self) -> bool:
        # The logs of external servers are not accessible.
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
                # The host's wall clock at t = 0, from the current offset.
                start_ms = (hosts[name].clock.day_ahead_ns() + self._started_ns) / 1e6
                incidents = reader.read(_lines(log, self._from.get(name, 0)))
                unseen = [Incident(start_ms, NOT_OBSERVED, 0.0, reader.unseen)] if reader.unseen else []
                for incident in [*unseen, *incidents]:
                    t_ms = round(incident.unix_ms - start_ms, 1)
                    writer.writerow((t_ms, name, incident.kind, incident.ms, incident.detail))

    @cached_property
    def _logs(self) -> dict[str, tuple[Path, LogReader]]:
        members = self.deployed.solution.members
        logs = {member.name: (member.log, member.log_reader()) for member in members}
        return {name: (log, reader) for name, (log, reader) in logs.items() if reader is not None}


def _size(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0


def _lines(log: Path, position: int) -> list[str]:
    """Return the lines after a position, or all lines if the log was truncated or replaced."""
    try:
        with log.open("rb") as stream:
            stream.seek(position if position <= _size(log) else 0)
            return stream.read().decode(errors="replace").splitlines()
    except OSError:
        return []
