"""Events of a failover manager in MHA's log, line by line.

MHA logs whole seconds; the time of an event is when its line was read.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fivenines.servers.cluster.events import ManagerEvent

_LINE = re.compile(r"^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4} - \[(\w+)\](?:\[[^\]]*\])? ?(.*)$")
# The place in MHA's source, which Perl adds to its errors.
_WHERE = re.compile(r" at /\S+ line \d+\.?$")

_HOST = r"([^\s(]+)\([^)]*\)"
# Failed pings in a row until MHA considers the primary dead (`MHA::HealthCheck`).
_MISSES = 4

# Number of lines of a refusal that an event contains.
_SHOWN = 4

# Errors that only refer to another one.
_EMPTY = re.compile(
    r"Got ERROR:|Error happened on (?:monitoring servers|checking configurations)\.?|Use of uninitialized.*"
)


@dataclass
class Reader:
    """Turns lines into events.

    Attributes:
        names: the node of each address.
        primary: the node that MHA watches.
    """

    names: Mapping[str, str]
    primary: str
    # Whether it has reached the primary and watches it.
    watching: bool = False
    # Whether it has begun to replace the primary.
    acting: bool = False
    # The node that it has promoted.
    promoted: str = ""
    errors: list[str] = field(default_factory=list)
    _chosen: str = ""
    # Whether the next "ok." means that the new primary is writable.
    _opening: bool = False
    _reason: str = ""

    def read(self, line: str, now: int) -> list[ManagerEvent]:
        """Return the events of a line; `now` in ns of CLOCK_MONOTONIC."""
        match = _LINE.match(line)
        if match is None:
            return []
        level, message = match[1], _WHERE.sub("", match[2]).strip()
        if level == "error" and message and not _EMPTY.fullmatch(message):
            self._note(message)
        for pattern, tell in _PATTERNS:
            if hit := re.search(pattern, message):
                event = tell(self, hit)
                return [ManagerEvent(now, *event)] if event else []
        return []

    def refusal(self) -> str:
        """Return its last relevant errors on one line."""
        return "; ".join(self.errors[-_SHOWN:])

    def _note(self, message: str) -> None:
        if message not in self.errors:
            self.errors.append(message)

    def _watches(self, _found: re.Match[str]) -> "_Event | None":
        known, self.watching = self.watching, True
        return None if known else ("watching", self.primary, "")

    def _remember(self, match: re.Match[str]) -> None:
        self._reason = match[1]

    def _missed(self, match: re.Match[str]) -> "_Event":
        return "missed", self.primary, f"1 of {_MISSES}: {match[0]}"

    def _missed_again(self, match: re.Match[str]) -> "_Event":
        return "missed", self.primary, f"{match[1]} of {_MISSES}: {self._reason or match[0]}"

    def _not_yet(self, match: re.Match[str]) -> "_Event":
        return "missed", self.primary, f"no failover: {match[0]}"

    def _decided(self, match: re.Match[str]) -> "_Event":
        self.acting = True
        return "decided", self.primary, match[0]

    def _fenced(self, match: re.Match[str]) -> "_Event":
        return "fenced", self.primary, match[0]

    def _choose(self, match: re.Match[str]) -> None:
        self._chosen = self._name(match[1])

    def _open(self, match: re.Match[str]) -> None:
        self._choose(match)
        self._opening = True

    def _opened(self, _found: re.Match[str]) -> "_Event | None":
        if not self._opening:
            return None
        self._opening = False
        self.promoted = self._chosen
        return "promoted", self._chosen, "read_only=0 set"

    def _repointed(self, match: re.Match[str]) -> "_Event":
        return "repointed", self._name(match[1]), f"follows {self._chosen}"

    def _name(self, address: str) -> str:
        return self.names.get(address, address)


_Event = tuple[str, str, str]
_Handler = Callable[[Reader, re.Match[str]], _Event | None]

_PATTERNS: tuple[tuple[str, _Handler], ...] = (
    (r"^Ping\(\w+\) succeeded", Reader._watches),
    (r"^Got error on MySQL (?:\w+ )?ping.*", Reader._missed),
    (r"^Got timeout on MySQL Ping.*", Reader._missed),
    (r"^Got error on MySQL connect: (.*)", Reader._remember),
    (r"^Connection failed (\d+) time", Reader._missed_again),
    (r".*Failover should not happen.*", Reader._not_yet),
    (r"^Master is down!", Reader._decided),
    (r"^Starting online master switch.*", Reader._decided),
    (r"^(?:SSH reachable\. Shutting down mysqld|Power off) done", Reader._fenced),
    (rf"^New master is {_HOST}", Reader._choose),
    (rf"^Setting read_only=0 on {_HOST}", Reader._open),
    (r"^ok\.$", Reader._opened),
    (rf"^-- Slave (?:recovery|switch) on host {_HOST} succeeded", Reader._repointed),
)
