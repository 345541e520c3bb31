"""What every access layer does, and what it must know of what stands behind it."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from fivenines.access.settings import AccessSettings
from fivenines.cluster.capabilities import Drain, Entry
from fivenines.cluster.cluster import Cluster
from fivenines.cluster.endpoints import Endpoints
from fivenines.cluster.events import ManagerEvent
from fivenines.errors import FiveninesError
from fivenines.lab.process import Process
from fivenines.servers.base import Server
from fivenines.servers.in_effect import Finding

A = TypeVar("A", bound=AccessSettings)


class Access(ABC, Generic[A]):
    """One access layer at work in front of a solution."""

    settings_type: ClassVar[type[AccessSettings]]
    software: ClassVar[str | None] = None
    """The engine whose root file system carries its programs, if it has any."""

    def __init__(self, settings: A, solution: Cluster[Any]) -> None:
        self.settings = settings
        self.solution = solution

    @abstractmethod
    def start(self) -> None:
        """Start what it needs; returns when clients can use it."""

    @abstractmethod
    def endpoints(self) -> Endpoints:
        """Where clients write and read."""

    @property
    def process(self) -> Process | None:
        """The process that clients connect to; None: there is none between."""
        return None

    @property
    def entry(self) -> Entry | None:
        """What a failover manager moves; None: it finds the node that takes writes by itself."""
        return None

    @property
    def draining(self) -> Drain | None:
        """Itself, where it can take nodes out of service; None: it cannot."""
        return None

    @property
    def promotes(self) -> bool:
        """Whether it works now, and gives the role of a dead primary to another node by itself."""
        return self.settings.promotes

    def in_effect(self) -> list[Finding]:
        """What of its settings is not in effect, or not observed; by default none of them is."""
        asked = self.settings.model_dump(mode="json", exclude={"kind"})
        return [
            Finding(self.settings.kind, f"access.{name}", str(value), "", "unobserved", "it does not show it")
            for name, value in asked.items()
        ]

    def switch_over(self) -> str:
        """Hand the primary's role to another node, as planned maintenance does; the new one's name.

        Raises:
            FiveninesError: it cannot, or did not; says why.
        """
        raise FiveninesError(f"the access layer {self.settings.kind} makes no switchover")

    def events(self) -> list[ManagerEvent]:
        """What was told to it, and when."""
        return []

    def stop(self) -> None:
        """End what it has begun in this process; its programs end with their hosts."""
        return

    @property
    def at_work(self) -> bool:
        """Whether it is in the midst of a failover: nobody else then starts, stops or repoints a server."""
        return False

    def restart(self) -> None:
        """Start its process again after it died; returns when clients can use it.

        Raises:
            FiveninesError: it has none, or it does not come up.
        """
        raise FiveninesError(f"the access layer {self.settings.kind} has no process of its own")

    def start_on(self, node: Server) -> None:
        """Start again what it runs on a node's host, after that host was down."""
        return
