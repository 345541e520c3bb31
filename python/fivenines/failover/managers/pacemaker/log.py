"""Events in the logs of Pacemaker's daemons, read on all nodes while they are written."""

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from fivenines.base.threads import Background
from fivenines.lab.host import Host
from fivenines.lab.processes.process import whole_lines
from fivenines.servers.cluster.events import ManagerEvent

# The log of Pacemaker's daemons, in a host's log folder.
LOG = "pacemaker.log"

# Seconds between two reads of the logs.
_POLL = 0.2

_LINE = re.compile(
    r"(?P<when>\w{3} \d\d \d\d:\d\d:\d\d\.\d{3}) \S+ +pacemaker-(?P<daemon>\w+) *\[\d+\] "
    r"\(\w+\)\s+\w+: (?P<text>[^|]*)"
)
_ACTION = re.compile(
    r"Actions: (?P<what>Recover|Stop|Demote|Move|Promote)\s+(?P<resource>[^\s:]+)\S*\s+"
    r"\((?P<roles>[^)]*?)(?P<node>\S+) \)"
)
_RESULT = re.compile(
    r"Result of (?P<what>\w+) operation for (?P<resource>[^\s:]+)\S* on (?P<node>\S+): "
    r"(?P<result>.*)"
)
_LOST = re.compile(r"Node (?P<node>\S+) state is now lost")
_FENCED = re.compile(r"Peer (?P<node>\S+) was (?P<no>not )?terminated \((?P<how>\w+)\)(?P<rest>.*)")

# The agent's lines have whole seconds and no host. It promotes a node once all nodes but one have reported.
_TOO_FEW = re.compile(
    r"(?P<when>\w{3} \d\d \d\d:\d\d:\d\d) +mariadb\((?P<resource>[^):]+)\S*\[\d+\]: +INFO: "
    r"Not enough nodes \((?P<reported>\d+)\) contributed to select a master, need (?P<needed>\d+) nodes"
)

_WELL = ("ok", "promoted")


def event_in(text: str, daemon: str, resource: str) -> tuple[str, str, str] | None:
    """Return kind, node and detail of a line about a resource; None: the line is not relevant."""
    if daemon == "schedulerd":
        return _action(text, resource)
    return _happened(text, resource) if daemon == "controld" else None


def _action(text: str, resource: str) -> tuple[str, str, str] | None:
    match = _ACTION.match(text)
    if match is None or match["resource"] != resource:
        return None
    if match["what"] == "Promote":
        return "decided", match["node"], "to be promoted"
    if "Promoted" not in match["roles"]:
        return None
    return "decided", match["node"], f"{match['what'].lower()} the primary"


def _happened(text: str, resource: str) -> tuple[str, str, str] | None:
    if match := _LOST.match(text):
        return "missed", match["node"], "Corosync has lost it"
    if match := _FENCED.match(text):
        kind = "failed" if match["no"] else "fenced"
        return kind, match["node"], text.strip() if match["no"] else f"fencing: {match['how']}"
    if text.startswith("Quorum lost"):
        return "failed", "", "no quorum: this partition has no majority"
    match = _RESULT.match(text)
    if match is None or match["resource"] != resource:
        return None
    return _result(match["what"], match["node"], match["result"].strip())


def _result(what: str, node: str, result: str) -> tuple[str, str, str] | None:
    well = result.startswith(_WELL)
    if what == "monitor" and not result.startswith("Cancelled"):
        return None if well else ("missed", node, f"monitor: {result}")
    if result.startswith("Cancelled"):
        return None
    if well:
        # A dead server's demotion is "not running", so this one was alive.
        kinds = {"promote": "promoted", "notify": "notified", "demote": "demoted"}
        return (kinds[what], node, "") if what in kinds else None
    # The failed demotion of a dead server is no event.
    if what == "probe" or (what == "demote" and result.startswith("not running")):
        return None
    return "failed", node, f"{what}: {result}"


def step(text: str, daemon: str, steps: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Return the same for starts of the resources that follow the promotion; kinds by resource name."""
    match = _RESULT.match(text) if daemon == "controld" else None
    if match is None or match["what"] != "start" or match["resource"] not in steps:
        return None
    result = match["result"].strip()
    if result.startswith(_WELL):
        return steps[match["resource"]], match["node"], ""
    return "failed", match["node"], f"start of {match['resource']}: {result}"


@dataclass
class Story:
    """The events of several logs, without duplicates.

    A notification after a promotion means that the node follows the new primary. With `steps`, starts of the
    resources after the promotion are events, and there are no followers. Each node but the last logs that too
    few have reported their GTID; the second time, with the same number, it is an event.
    """

    resource: str
    steps: Mapping[str, str] = field(default_factory=dict)
    events: list[ManagerEvent] = field(default_factory=list)
    _seen: set[tuple[int, str, str, str]] = field(default_factory=set)
    _to_follow: str = ""
    _repointed: set[str] = field(default_factory=set)
    # Nodes that have reported their GTID, and whether that was an event; since the last promotion.
    _reported: dict[str, bool] = field(default_factory=dict)

    def add(self, line: str, now: datetime, ahead_ns: int) -> ManagerEvent | None:
        """Process a line, and return its event. `ahead_ns`: wall clock minus CLOCK_MONOTONIC."""
        if few := _TOO_FEW.match(line):
            return self._too_few(few, now, ahead_ns)
        parts = _LINE.match(line)
        happened = self._event(parts["text"], parts["daemon"]) if parts else None
        if parts is None or happened is None:
            return None
        moment = round(moment_of(parts["when"], now).timestamp() * 1e9) - ahead_ns
        if (moment, *happened) in self._seen:
            return None
        self._seen.add((moment, *happened))
        kind, node, detail = happened
        if kind == "notified":
            if self.steps or node == self._to_follow or not self._to_follow or node in self._repointed:
                return None
            self._repointed.add(node)
            kind, detail = "repointed", f"to {self._to_follow}"
        elif kind == "promoted":
            self._to_follow, self._repointed, self._reported = node, set(), {}
        event = ManagerEvent(moment, kind, node, detail)
        self.events.append(event)
        return event

    def _too_few(self, few: re.Match[str], now: datetime, ahead_ns: int) -> ManagerEvent | None:
        reported, needed = few["reported"], few["needed"]
        if few["resource"] != self.resource or self._reported.get(reported, True):
            # The first such line, or an event already.
            self._reported.setdefault(reported, False)
            return None
        self._reported[reported] = True
        moment = round(moment_of(f"{few['when']}.000", now).timestamp() * 1e9) - ahead_ns
        detail = f"no promotion: {reported} of the {needed} nodes that the agent needs have reported a GTID"
        event = ManagerEvent(moment, "failed", "", detail)
        self.events.append(event)
        return event

    def _event(self, text: str, daemon: str) -> tuple[str, str, str] | None:
        return event_in(text, daemon, self.resource) or step(text, daemon, self.steps)


def moment_of(when: str, now: datetime) -> datetime:
    """Return the last moment with a date without year (UTC), at most a minute from now."""
    for year in (now.year + 1, now.year, now.year - 1):
        try:
            moment = datetime.strptime(f"{year} {when}", "%Y %b %d %H:%M:%S.%f")
        except ValueError:  # 29 February
            continue
        moment = moment.replace(tzinfo=UTC)
        if (moment - now).total_seconds() < 60:
            return moment
    return now


@dataclass
class _Log:
    """The log of one host; `ahead_ns`: its wall clock minus our CLOCK_MONOTONIC."""

    path: Path
    ahead_ns: int
    position: int = 0

    def now(self) -> datetime:
        return datetime.fromtimestamp((time.monotonic_ns() + self.ahead_ns) / 1e9, UTC)


class Follower:
    """Reads the logs of all nodes in its own thread; calls `promoted` for each new primary.

    Args:
        nodes: the hosts whose logs are read.
        resource: the resource whose events count.
        promoted: called with the name of each new primary.
        steps: see `Story`.
    """

    def __init__(
        self,
        nodes: Sequence[Host],
        resource: str,
        promoted: Callable[[str], None],
        steps: Mapping[str, str] | None = None,
    ) -> None:
        # Clocks are read once: otherwise events of the same moment could change their order.
        self._logs = [_Log(host.node / "log" / LOG, host.clock.day_ahead_ns()) for host in nodes]
        self._story = Story(resource, steps or {})
        self._promoted = promoted
        self._ended = threading.Event()
        self._reading = threading.Lock()
        self._thread: Background | None = None

    def begin(self) -> None:
        """Begin to read from the current end of the logs."""
        for log in self._logs:
            log.position = log.path.stat().st_size if log.path.exists() else 0
        self._thread = Background(target=self._follow)
        self._thread.start()

    def events(self) -> list[ManagerEvent]:
        """Return the events so far, in order."""
        if self._thread is not None:
            self._read()
        return sorted(self._story.events, key=lambda event: event.monotonic_ns)

    def stop(self) -> None:
        """Stop reading."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _follow(self) -> None:
        while not self._ended.wait(_POLL):
            self._read()

    def _read(self) -> None:
        with self._reading:
            for log in self._logs:
                lines, log.position = whole_lines(log.path, log.position)
                for line in lines:
                    event = self._story.add(line, log.now(), log.ahead_ns)
                    if event is not None and event.kind == "promoted":
                        self._promoted(event.node)
