"""The channels between two clusters: their servers, and failover of a channel as automatic remediation."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fivenines.base.errors import FiveninesError, brief
from fivenines.servers.mysql_family.channel import Channel
from fivenines.servers.mysql_family.server import MysqlFamily

# Callback for events: kind, node, description.
Record = Callable[[str, str, str], None]


@dataclass
class Side:
    """One of the two clusters, as channels see it.

    Attributes:
        name: a or b.
        number: 1 or 2.
        nodes: its servers.
        first: the number of its first server among those of both clusters.
        able: returns whether a server is a working member now.
    """

    name: str
    number: int
    nodes: Sequence[MysqlFamily]
    first: int
    able: Callable[[MysqlFamily], bool]
    # End of each server's log when the channels began.
    ends: dict[str, str] = field(default_factory=dict)
    # Servers that have been down since: their logs may lack what their cluster wrote meanwhile.
    been_down: set[str] = field(default_factory=set)

    @property
    def numbers(self) -> list[int]:
        """Return the numbers of its servers."""
        return list(range(self.first, self.first + len(self.nodes)))

    def working(self) -> list[MysqlFamily]:
        """Return its working servers; those that were never down come first."""
        able = [node for node in self.nodes if self.able(node)]
        return sorted(able, key=lambda node: node.name in self.been_down)


class Flow:
    """The replication of one cluster's changes to the other, through one channel at a time.

    Args:
        source: the cluster that writes the changes.
        target: the cluster that applies them.
        kind: statements for its kind of servers.
        password: of replication.
        record: callback for events.
    """

    def __init__(self, source: Side, target: Side, kind: Channel[Any], password: str, record: Record) -> None:
        self.source, self.target = source, target
        self._kind, self._password, self._record = kind, password, record
        # The server whose log is read.
        self.follows: MysqlFamily | None = None
        # The server that applies it.
        self.applier: MysqlFamily | None = None
        # Servers that could not be stopped: a frozen server would continue to apply.
        self._left: list[MysqlFamily] = []
        self._since: float | None = None
        self._given_up = ""

    @property
    def name(self) -> str:
        """Return its name for events."""
        return f"channel {self.source.name} to {self.target.name}"

    def note_ends(self) -> None:
        """Record where the logs of the source's servers end now: up to there both clusters are identical."""
        self.source.ends = {node.name: self._kind.end(node) for node in self.source.nodes}

    def begin(self) -> None:
        """Start it between the first servers, from where the clusters were identical."""
        self._start(self.source.nodes[0], self.target.nodes[0])

    def end(self) -> None:
        """Stop it; changes that were received but not applied are discarded."""
        if self.applier is not None:
            self._left.append(self.applier)
        self.follows = self.applier = None
        self._stop_leftovers()

    def _stop_leftovers(self) -> None:
        for node in [server for server in self._left if server is not self.applier and server.answers()]:
            node.sql.execute(*self._kind.stop)
            self._left.remove(node)

    def drain(self, timeout: float) -> str:
        """Apply what has been received, and receive nothing more; return what is left at the timeout."""
        if self.applier is None or not self.applier.answers():
            return "no server applies it"
        self.applier.sql.execute(self._kind.stop_receiving)
        deadline = time.monotonic() + timeout
        while (left := self._kind.unapplied(self.applier)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def problem(self) -> str:
        """Return why it does not work now; empty: it works, or will when the sites reach each other."""
        if self._given_up:
            return self._given_up
        if self.follows is None or self.applier is None:
            return "it does not run"
        for side, node in ((self.source, self.follows), (self.target, self.applier)):
            if not side.able(node):
                return f"{node.name} is not a working server of cluster {side.name}"
        if trouble := self._kind.trouble(self.applier.sql.replica_status()):
            return f"{self.applier.name}: {trouble}"
        return ""

    def behind(self) -> str:
        """Return what has not reached the other cluster yet; empty: all has."""
        if self.follows is None or self.applier is None:
            return f"{self.name}: it does not run"
        if not self.source.able(self.follows):
            return f"{self.follows.name} is not a working server of cluster {self.source.name}"
        sources = self.source.working()
        return self._kind.behind(self.source.number, sources, self.follows, self.applier)

    def look_after(self, patience: float | None) -> None:
        """Move it to other servers that work, once it has not worked for `patience` seconds."""
        self._stop_leftovers()
        reason = "" if self._given_up else _safely(self.problem)
        if not reason or patience is None:
            self._since = None
            return
        now = time.monotonic()
        self._since = self._since or now
        sources, targets = self.source.working(), self.target.working()
        if now - self._since < patience or not sources or not targets:
            return
        self._since = None
        self._move(reason, sources, targets)

    def _move(self, reason: str, sources: Sequence[MysqlFamily], targets: Sequence[MysqlFamily]) -> None:
        before = (self.follows, self.applier)
        # A server without the end of the log cannot be read further; one that does not apply may itself be
        # faulty.
        source = _other(sources, self.follows)
        target = _other(targets, self.applier)
        self._record("decided", target.name, f"{self.name}: {reason}")
        try:
            self.end()
            place, words = self._place(source)
            self._start(source, target, place)
            self._await()
        except FiveninesError as error:
            self._record("failed", target.name, f"{self.name}: {error}")
            if before == (source, target):
                self._given_up = str(error)
            return
        self._record("repointed", target.name, f"{self.name}: it follows {source.name} from {words}")

    def _place(self, source: MysqlFamily) -> tuple[str, str]:
        """Return the position to continue from in a server's log, and a description."""
        servers = self.target.working()
        mark = self._kind.applied(self.source.number, servers, self.source.numbers)
        been_down = source.name in self.source.been_down
        incomplete = (
            " (it was down itself: its log may lack changes that others of its cluster wrote meanwhile)"
        )
        place = self._kind.after(source, mark, been_down) or (
            self._kind.end(source) if mark else self.source.ends[source.name]
        )
        after = f"after {mark}" if mark else "as nothing has arrived yet"
        return place, f"{place or 'the beginning'}, {after}{incomplete * been_down}"

    def _start(self, source: MysqlFamily, target: MysqlFamily, place: str = "") -> None:
        place = place or self.source.ends[source.name]
        target.sql.execute(*self._kind.follow(source, self.source.number, place, self._password))
        self.follows, self.applier = source, target
        self._left = [server for server in self._left if server is not target]

    def _await(self) -> None:
        """Wait until it works.

        Raises:
            FiveninesError: it does not.
        """
        deadline = time.monotonic() + _STARTS
        while problem := _safely(self.problem):
            if time.monotonic() > deadline:
                raise FiveninesError(problem)
            time.sleep(0.1)


# Longest time in seconds until a newly started channel must work.
_STARTS = 5.0


def _other(able: Sequence[MysqlFamily], now: MysqlFamily | None) -> MysqlFamily:
    """Return a working server, preferably another one than `now`."""
    return next((node for node in able if node is not now), able[0])


def _safely(ask: Callable[[], str]) -> str:
    try:
        return ask()
    except Exception as error:  # drivers raise what they like
        return brief(error)
