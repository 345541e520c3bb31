"""Incidents in a data node's log: checkpoints, silent and lost nodes, arbitration, redo log, its own end.

The cluster's log has the same lines, as management nodes receive them from data nodes; a management node that
is down misses them. Times are of the data node's clock, to the microsecond. Lines of NDB 9.7 (manual, "NDB
Cluster Log Events"); begin and end of a global checkpoint are only logged with `LogLevelCheckpoint` from 10
on.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from fivenines.servers.incidents import Incident

GLOBAL_CHECKPOINT = "global checkpoint"
LOCAL_CHECKPOINT = "local checkpoint"

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})Z \[\w+\] (?:INFO|WARNING|ALERT|ERROR|CRITICAL)\s+-- (.*)"
)
_CHECKPOINT = re.compile(r"(Global|Local) checkpoint (\d+) (started|completed)")
# Kind, duration so far (ms), and details.
_Event = tuple[str, float, str]


def _plain(kind: str, detail: str = "") -> Callable[["re.Match[str]"], _Event]:
    return lambda match: (kind, 0.0, match.expand(detail))


_TELLING: tuple[tuple["re.Pattern[str]", Callable[["re.Match[str]"], _Event]], ...] = tuple(
    (re.compile(pattern), tell)
    for pattern, tell in (
        (r"Node (\d+) missed heartbeat (\d+)", _plain("missed heartbeat", r"node \1, number \2")),
        (r"Node (\d+) declared dead due to missed heartbeat", _plain("declared dead", r"node \1")),
        (r"Node (\d+) Disconnected", _plain("disconnected", r"node \1")),
        (r"Node (\d+) has completed node fail handling", _plain("node failure handled", r"node \1")),
        (r"Network partitioning - arbitration required", _plain("arbitration")),
        (r"Arbitration won - (.*)", _plain("arbitration won", r"\1")),
        (r"Arbitration lost - (.*)", _plain("arbitration lost", r"\1")),
        (r"(?:Lost arbitrator node (\d+))", _plain("arbitrator lost", r"node \1")),
        (
            r"Forced node shutdown completed.*?Caused by error (\d+: '[^']*')",
            _plain("forced shutdown", r"\1"),
        ),
        (r"Node shutdown completed", _plain("shutdown")),
        (
            r"GCP Monitor: GCP_(COMMIT|SAVE) lag (\d+) sec",
            lambda match: ("GCP stop", 1000 * float(match[2]), match[1].lower()),
        ),
        (
            r"LQH (\d+) : Redo log part (\d+) problem (started : [^.]*|cleared : [^.]*)",
            _plain("redo log", r"part \2 \3"),
        ),
        (
            r"LQH (\d+) : Redo log part (\d+) : Redo buffer (full|not full)",
            _plain("redo log", r"part \2 buffer \3"),
        ),
        (
            r"Ndb kernel thread (\d+) is stuck in: (.*?),? elapsed=(\d+)",
            lambda match: ("thread stuck", float(match[3]), f"thread {match[1]}: {match[2]}"),
        ),
    )
)


def incidents(lines: Iterable[str]) -> Iterator[Incident]:
    """Yield the incidents in lines of a data node's log; a checkpoint lasts from its logged start."""
    began: dict[str, tuple[str, float]] = {}
    for line in lines:
        match = _LINE.match(line.rstrip("\n"))
        if match is None:
            continue
        when = datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC)
        unix_ms = when.timestamp() * 1000
        if checkpoint := _CHECKPOINT.match(match[2]):
            kind, number, what = checkpoint[1].lower() + " checkpoint", checkpoint[2], checkpoint[3]
            if what == "started":
                began[kind] = number, unix_ms
            elif began.get(kind, ("", 0.0))[0] == number:
                yield Incident(unix_ms, kind, round(unix_ms - began[kind][1], 3), number)
        elif incident := next(filter(None, (_event(match[2], *rule) for rule in _TELLING)), None):
            yield Incident(unix_ms, *incident)


def _event(text: str, pattern: "re.Pattern[str]", tell: Callable[["re.Match[str]"], _Event]) -> _Event | None:
    match = pattern.match(text)
    return tell(match) if match else None
