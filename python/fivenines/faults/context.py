"""The part of a trial that faults can use."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from fivenines.failover.managers.base import Manager
    from fivenines.failover.proxies.base import Access
    from fivenines.lab.host import Host
    from fivenines.lab.lab import Lab
    from fivenines.servers.cluster.cluster import Cluster


class Disturbed(Protocol):
    """A whole deployment: a cluster in its lab, its access layer, its failover manager and its clients."""

    @property
    def solution(self) -> "Cluster[Any]": ...
    @property
    def lab(self) -> "Lab": ...
    @property
    def access(self) -> "Access[Any]": ...
    @property
    def manager(self) -> "Manager[Any] | None": ...
    @property
    def clients(self) -> "Mapping[str, Host]": ...


def _ignore(_kind: str, _node: str, _detail: str) -> None:
    pass


@dataclass
class FaultContext:
    """A running deployment, random choices by the trial's seed, and the callback for events."""

    deployed: Disturbed
    random: Random = field(default_factory=Random)
    note: Callable[[str, str, str], None] = _ignore
    # If set, running faults end as soon as they can.
    ended: threading.Event = field(default_factory=threading.Event)
    # The reason, unless a user requested the end.
    why_ended: str = ""

    def settles(self, condition: Callable[[], object], timeout: float = 2.0) -> bool:
        """Return whether a condition becomes true within `timeout` seconds; an error counts as false."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            with suppress(Exception):
                if condition():
                    return True
            time.sleep(0.05)
        return False

    @property
    def solution(self) -> "Cluster[Any]":
        return self.deployed.solution

    @property
    def lab(self) -> "Lab":
        return self.deployed.lab

    @property
    def access(self) -> "Access[Any]":
        return self.deployed.access

    @property
    def manager(self) -> "Manager[Any] | None":
        return self.deployed.manager

    @property
    def clients(self) -> "Mapping[str, Host]":
        """Return the hosts of the load, by name."""
        return self.deployed.clients

    @property
    def client(self) -> "Host":
        """Return the first host of the load."""
        return next(iter(self.clients.values()))
