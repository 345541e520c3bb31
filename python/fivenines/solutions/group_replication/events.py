"""Failover events of a group, from the error logs of its members.

Several members log the same event at different moments; the first one counts. Each read continues where the
last one ended.
"""

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from fivenines.servers.base import Server
from fivenines.servers.cluster.events import ManagerEvent

# With log_timestamps = SYSTEM the time ends in an offset.
_LINE = re.compile(
    r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)) \d+ \[\w+\] \[(MY-\d+)\] \[Repl\] (.*)$"
)
_HOST = re.compile(r"(\d+\.\d+\.\d+\.\d+):\d+")

# Messages of several members within this time are one event.
SAME_NS = 3_000_000_000

# What the log omits with some settings.
PHASES = "phases of its failovers (error log)"

_WARNINGS = 2

_KINDS = (
    ("has become unreachable", "missed"),
    ("Primary server with address", "decided"),
    ("This server is working as primary member", "promoted"),
    ("Members removed from the group", "expelled"),
    ("could not reach a majority of the members for more than", "failed"),
    ("was expelled from the group", "failed"),
    ("more executed transactions", "failed"),
    ("version is incompatible with the group", "failed"),
)


@dataclass
class GroupLog:
    """Reads the members' logs; `begin` sets where reading starts."""

    places: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    found: list[ManagerEvent] = field(default_factory=list)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, nodes: Iterable[Server]) -> None:
        """Skip the existing lines."""
        for node in nodes:
            self.places[node.name] = _size(node.log)
            self.names[node.host.address] = node.name
            if reason := _why_silent(node):
                node.monitoring.omitted[PHASES] = reason

    def events(self, nodes: Iterable[Server]) -> list[ManagerEvent]:
        """Return all events so far, in order of time."""
        fresh: list[ManagerEvent] = []
        with self._one_at_a_time:
            for node in nodes:
                if node.name in self.places:
                    lines, self.places[node.name] = _read(node.log, self.places[node.name])
                    fresh += events_in(node.name, lines, self.names, node.host.clock.day_ahead_ns())
            self.found = merged([*self.found, *fresh])
            return list(self.found)


def events_in(
    node: str, lines: Iterable[str], names: Mapping[str, str], offset_ns: int
) -> list[ManagerEvent]:
    """Return the events in a member's log lines.

    Args:
        node: the member that wrote the log.
        lines: of the error log.
        names: of the members by their addresses.
        offset_ns: CLOCK_REALTIME minus CLOCK_MONOTONIC.
    """
    events = []
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        text = match[3].removeprefix("Plugin group_replication reported: ").strip("'")
        for words, kind in _KINDS:
            if words in text:
                member = _about(kind, text, node, names)
                events.append(ManagerEvent(_ns(match[1]) - offset_ns, kind, member, f"{node}: {text}"))
                break
    return events


def merged(events: Sequence[ManagerEvent]) -> list[ManagerEvent]:
    """Return the events in order of time, without repetitions by other members."""
    distinct: list[ManagerEvent] = []
    for event in sorted(events, key=lambda event: event.monotonic_ns):
        if not any(_same(event, other) for other in distinct):
            distinct.append(event)
    return distinct


def _same(event: ManagerEvent, other: ManagerEvent) -> bool:
    same = (event.kind, event.node) == (other.kind, other.node)
    return same and event.monotonic_ns - other.monotonic_ns < SAME_NS


def _about(kind: str, text: str, node: str, names: Mapping[str, str]) -> str:
    """Return the member that a line is about; in the first person it is the member that wrote it."""
    if kind in ("promoted", "failed"):
        return node
    hosts = _HOST.findall(text)
    return names.get(hosts[0], hosts[0]) if hosts else node


def _why_silent(node: Server) -> str:
    """Return why a member's log omits events; empty if it has all of them.

    That a member is unreachable is a warning (MySQL 9 reference manual, "log_error_verbosity").
    """
    rows = node.sql.query(
        "SELECT @@global.log_error_verbosity, @@global.log_error_services, "
        "@@global.log_error_suppression_list"
    )
    ((verbosity, services, suppressed),) = rows
    if "log_sink_internal" not in services:
        return f"log_error_services = {services} writes the log in another format"
    if int(verbosity) < _WARNINGS:
        return f"log_error_verbosity = {verbosity} leaves out warnings"
    return f"log_error_suppression_list = {suppressed} leaves out messages" if suppressed else ""


def _ns(moment: str) -> int:
    parsed = datetime.fromisoformat(moment)
    return int(parsed.timestamp()) * 1_000_000_000 + parsed.microsecond * 1000


def _size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def _read(log: Path, place: int) -> tuple[list[str], int]:
    """Return the whole lines from a position on, and the position after them."""
    if not log.exists():
        return [], place
    with log.open("rb") as stream:
        stream.seek(place)
        text = stream.read()
    end = text.rfind(b"\n") + 1
    return text[:end].decode(errors="replace").splitlines(), place + end
