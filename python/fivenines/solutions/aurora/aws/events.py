"""Failover events of RDS, in the terms of failover managers.

| message of RDS | event |
|---|---|
| Started (same AZ, cross AZ) failover to DB instance: X | decided, of X |
| Completed (RDS initiated) failover to DB instance: X | promoted, of X |
| Promoting previous primary again: X | promoted, of X |
| Cluster failover failed | failed |
| A new writer was promoted. Restarting database as a reader | demoted |
| DB instance shutdown | stopped |
| DB instance restarted | restarted |

Times are those of Amazon's clock, to the millisecond. Its offset from this machine's clock is unknown, and so
is the delay of an event. RDS guarantees neither order nor delivery. Source: Amazon Aurora user guide, "Amazon
RDS event categories and event messages for Aurora"; "Monitoring Amazon RDS events".
"""

import re
import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from fivenines.base.errors import FiveninesError
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.solutions.aurora.aws.api import Api, RdsEvent

_KINDS = (
    (re.compile(r"Started (?:\w+ AZ )?failover to DB instance:? ?(?P<node>[\w-]*)"), "decided"),
    (
        re.compile(r"Completed (?:RDS initiated )?failover to (?:DB )?instance:? ?(?P<node>[\w-]*)"),
        "promoted",
    ),
    (re.compile(r"Promoting previous primary again:? ?(?P<node>[\w-]*)"), "promoted"),
    (re.compile(r"Cluster failover failed"), "failed"),
    (re.compile(r"A new writer was promoted"), "demoted"),
    (re.compile(r"DB instance shutdown"), "stopped"),
    (re.compile(r"DB instance restarted"), "restarted"),
)

# Seconds between two calls, as the API is throttled for the whole account.
EVERY = 3.0

# Seconds before the start from which events are requested, as clocks differ.
_EARLIER = timedelta(seconds=5)


class EventReader:
    """Reads the events of a cluster and of its instances, at most every `EVERY` seconds.

    Args:
        api: the API to call.
        cluster: its identifier.
        instances: their identifiers.
        since: start in seconds since 1970.
    """

    def __init__(self, api: Api, cluster: str, instances: Iterable[str], since: float) -> None:
        self._api = api
        self._sources = {cluster, *instances}
        self._since = datetime.fromtimestamp(since, UTC) - _EARLIER
        self._found: list[ManagerEvent] = []
        self._read_at = 0.0
        self._unread: ManagerEvent | None = None
        # Taken once, so that steps of this machine's clock do not move events.
        self._ahead_ns = time.time_ns() - time.monotonic_ns()
        self._one_at_a_time = threading.Lock()

    def events(self) -> list[ManagerEvent]:
        """Return all events so far; those that the API cannot deliver now may follow later."""
        with self._one_at_a_time:
            if time.monotonic() - self._read_at > EVERY:
                self._read_at = time.monotonic()
                self._ask()
            return [*self._found, *([self._unread] if self._unread else [])]

    def _ask(self) -> None:
        try:
            events = [
                event
                for event in self._api.events(self._since)
                if event.source in self._sources and event.moment >= self._since
            ]
        except FiveninesError as error:
            # Without events no decision is visible: readers of phases must know why.
            self._unread = ManagerEvent(time.monotonic_ns(), "failed", "", f"no events of RDS: {error}")
            return
        self._unread = None
        self._found = managers(events, lambda moment: nanoseconds(moment) - self._ahead_ns)


def managers(events: Iterable[RdsEvent], clock: Callable[[datetime], int]) -> list[ManagerEvent]:
    """Return events of RDS as those of a manager, in order of time; `clock` converts to ns."""
    details = {}
    for event in events:
        for pattern, kind in _KINDS:
            if match := pattern.search(event.message):
                node = match.groupdict().get("node") or event.source
                detail = f"RDS at {event.moment.astimezone(UTC):%H:%M:%S.%f}"[:-3] + f" UTC: {event.message}"
                details[clock(event.moment), kind, node] = detail
                break
    return [ManagerEvent(*key, detail) for key, detail in sorted(details.items())]


def nanoseconds(moment: datetime) -> int:
    """Return nanoseconds since 1970."""
    return int(moment.timestamp()) * 1_000_000_000 + moment.microsecond * 1000
