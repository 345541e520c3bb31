"""Base class of access layers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from fivenines.base.errors import FiveninesError
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.lab.processes.process import Process
from fivenines.servers.base import Server
from fivenines.servers.cluster.capabilities import Drain, Entry
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.in_effect import Finding, unobserved

A = TypeVar("A", bound=AccessSettings)


class Access(ABC, Generic[A]):
    """One running access layer in front of a solution."""

    settings_type: ClassVar[type[AccessSettings]]
    # The engine whose root file system contains its programs, if it has any.
    software: ClassVar[str | None] = None

    def __init__(self, settings: A, solution: Cluster[Any]) -> None:
        self.settings = settings
        self.solution = solution

    @property
    def for_measuring(self) -> Mapping[str, str]:
        """Return settings of its files that only fivenines needs, see `Setup.for_measuring`."""
        return {}

    def configure(self) -> None:
        """Add its host and write its files before `start`; by default it has neither."""
        return

    @abstractmethod
    def start(self) -> None:
        """Start it as configured; return when clients can use it."""

    @abstractmethod
    def endpoints(self) -> Endpoints:
        """Return the endpoints of clients."""

    @property
    def process(self) -> Process | None:
        """Return the process that clients connect to; None: clients connect to servers."""
        return None

    @property
    def entry(self) -> Entry | None:
        """Return the entry that a failover manager moves; None: it finds the writable node by itself."""
        return None

    @property
    def draining(self) -> Drain | None:
        """Return itself if it can take nodes out of service, else None."""
        return None

    @property
    def promotes(self) -> bool:
        """Return whether it runs and promotes another node by itself when the primary dies."""
        return self.settings.promotes

    def in_effect(self) -> list[Finding]:
        """Return settings that are not in effect or not observable; by default none is observable."""
        requested = self.settings.model_dump(mode="json", exclude={"kind"})
        return unobserved(self.settings.kind, requested, "it does not show it", "access.")

    def switch_over(self) -> str:
        """Make a planned switchover; return the new primary's name.

        Raises:
            FiveninesError: it cannot, or it failed; with the reason.
        """
        raise FiveninesError(f"the access layer {self.settings.kind} does not support a switchover")

    def events(self) -> list[ManagerEvent]:
        """Return the commands that it received, with their times."""
        return []

    def stop(self) -> None:
        """End what runs in this process; its programs end with their hosts."""
        return

    @property
    def at_work(self) -> bool:
        """Return whether a failover is in progress, in which no other component may act on servers."""
        return False

    def restart(self) -> None:
        """Start its process again after it died; return when clients can use it.

        Raises:
            FiveninesError: it has no process, or it does not start.
        """
        raise FiveninesError(f"the access layer {self.settings.kind} has no process")

    def start_on(self, node: Server) -> None:
        """Start again what it runs on a node's host, after that host was down."""
        return
