"""What a fault sees of the trial that it disturbs."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from fivenines.access.base import Access
    from fivenines.cluster.cluster import Cluster
    from fivenines.lab.host import Host
    from fivenines.lab.lab import Lab
    from fivenines.managers.base import Manager


class Disturbed(Protocol):
    """What is deployed, whole: a cluster in its lab, with whom its clients and its manager are."""

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


def _nobody_listens(_kind: str, _node: str, _detail: str) -> None:
    pass


@dataclass
class FaultContext:
    """A deployment at work, random choices by the trial's seed, and who is told of what happens."""

    deployed: Disturbed
    random: Random = field(default_factory=Random)
    note: Callable[[str, str, str], None] = _nobody_listens
    ended: threading.Event = field(default_factory=threading.Event)
    """Set: what is at work ends as soon as it can."""
    why_ended: str = ""
    """Why, where nobody asked for that."""

    def settles(self, condition: Callable[[], object], timeout: float = 2.0) -> bool:
        """Whether a condition comes true within `timeout` seconds; an error counts as no."""
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
        """The hosts of the load, by name."""
        return self.deployed.clients

    @property
    def client(self) -> "Host":
        """The host of the load, or the first of them."""
        return next(iter(self.clients.values()))
