"""Events of a failover in Patroni's log, in the terms of failover managers.

The lines are those of Patroni 3.0 and 4.1 (patroni/ha.py). Times are UTC, as the daemon runs with TZ.

| log line | event |
|---|---|
| it asks the others for their positions, or may not take the lock | decided: the lock is free, or given back
|
| Request failed to X, because the connection failed | missed, of X |
| promoted self to leader | promoted |
| Demoting self | demoted |
| following another leader, running pg_rewind | repointed |
| demoted self because …, a critical message | failed |
| continue to run as a leader because failsafe mode is enabled | failsafe |
"""

import re
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from fivenines.lab.processes.process import tail, whole_lines
from fivenines.servers.cluster.events import ManagerEvent

_LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (\w+): (.*)")
_SILENT = re.compile(r"Request failed to (\S+): GET \S+ \(HTTPConnection")
_QUERIED = re.compile(r"(?:Got response from \S+ |Request failed to \S+ GET )\S+/patroni\b")
_UNFIT = "following a different leader because i am not the healthiest node"
_REPOINTED = re.compile(
    r"following (?:a different leader|new leader)|running pg_rewind from \S+$|reinitializing due to"
)
_FAILED = re.compile(r"demoting self because|demoted self because (?!DCS)")
# Problems of its client of etcd (patroni/dcs/etcd.py, etcd3.py).
_REFUSED = "Connected to Etcd node with term"
_STORE = re.compile(rf"Request to server \S+ failed|Failed to get list of machines|{_REFUSED}")
# Follows a refused term, and does not name it.
_STALE = "StaleEtcdNode"
_LONGEST = 160
_FAILSAFE = "continue to run as a leader because failsafe mode is enabled"


class Follower:
    """Reads the log of one node's Patroni, each line once.

    Args:
        file: the log; it may not exist yet.
        node: name of its node.
        day_ahead_ns: clock of the log minus CLOCK_MONOTONIC.
    """

    def __init__(self, file: Path, node: str, day_ahead_ns: Callable[[], int]) -> None:
        self._file = file
        self._day_ahead_ns = day_ahead_ns
        self._reader = Reader(node)
        self._position = 0
        self._events: list[ManagerEvent] = []
        self._one_at_a_time = threading.Lock()

    def events(self) -> list[ManagerEvent]:
        """Return all events so far."""
        with self._one_at_a_time:
            self._read()
            return list(self._events)

    def forget(self) -> None:
        """Discard all events so far: they belong to the deployment."""
        with self._one_at_a_time:
            self._read()
            self._events.clear()

    def last_line(self) -> str:
        """Return the message of the last line; empty: there is none."""
        lines = [_LINE.match(line) for line in tail(self._file, 2).splitlines()]
        messages = [match[3] for match in lines if match]
        return messages[-1] if messages else ""

    def _read(self) -> None:
        lines, self._position = whole_lines(self._file, self._position)
        offset = self._day_ahead_ns()
        for line in lines:
            self._events += self._reader.read(line, offset)


class Reader:
    """Turns lines into events; keeps state between lines.

    Args:
        node: name of its node.
    """

    def __init__(self, node: str) -> None:
        self._node = node
        self._racing = False
        self._failsafe = False
        self._last = ""
        # Patroni's last message on a problem with etcd, since all was well.
        self._store = ""

    def read(self, line: str, offset: int) -> list[ManagerEvent]:
        """Return the events of a line; `offset`: wall clock minus CLOCK_MONOTONIC, in ns."""
        match = _LINE.match(line)
        if match is None:
            return []
        if _STORE.match(match[3]) and not (_STALE in match[3] and self._store.startswith(_REFUSED)):
            self._store = match[3][:_LONGEST]
        moment = _nanoseconds(match[1]) - offset
        events = list(self._events_of(match[2], match[3]))
        self._last = match[3]
        return [ManagerEvent(moment, kind, node, detail) for kind, node, detail in events]

    def _events_of(self, level: str, message: str) -> Iterator[tuple[str, str, str]]:
        if (query := _QUERIED.match(message)) or message.startswith(_UNFIT):
            # Patroni queries each member once, and logs each answer: the first line begins the leader race.
            if not self._racing:
                yield "decided", self._node, "the leader gives up its lock, or has lost it"
            self._racing = True
        if query:
            if silent := _SILENT.match(message):
                yield "missed", silent[1], f"no answer to {self._node}"
            return
        if message.startswith("no action"):
            self._racing = self._failsafe = False
            self._store = ""
        elif message.startswith(_FAILSAFE):
            if not self._failsafe:
                yield "failsafe", self._node, message
            self._failsafe = True
        elif message.startswith("promoted self to leader"):
            yield "promoted", self._node, message
        elif message.startswith("Demoting self"):
            yield "demoted", self._node, message
        elif message == self._last:
            return
        elif _REPOINTED.match(message):
            yield "repointed", self._node, message
        elif level == "CRITICAL" or _FAILED.match(message):
            yield "failed", self._node, message + (self._why_no_store() if "DCS is not" in message else "")

    def _why_no_store(self) -> str:
        """Return Patroni's last message on etcd: it may be unreachable, without quorum, or refused."""
        return f" ({self._store})" if self._store else " (Patroni's log does not say why)"


def last_promoted(events: list[ManagerEvent]) -> str:
    """Return the node that was promoted last; empty: none."""
    return next((event.node for event in reversed(events) if event.kind == "promoted"), "")


def _nanoseconds(text: str) -> int:
    moment = datetime.strptime(text, "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000) * 1_000_000
