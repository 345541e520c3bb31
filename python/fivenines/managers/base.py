"""A failover manager at work."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from fivenines.cluster.capabilities import Entry
from fivenines.cluster.cluster import Cluster
from fivenines.cluster.events import ManagerEvent
from fivenines.errors import FiveninesError
from fivenines.managers.settings import ManagerSettings
from fivenines.servers.base import Server

M = TypeVar("M", bound=ManagerSettings)


class Manager(ABC, Generic[M]):
    """Watches one solution and promotes another node when its primary dies."""

    settings_type: ClassVar[type[ManagerSettings]]
    promotes: ClassVar[bool] = True
    """Whether a dead primary is ever replaced."""

    def __init__(self, settings: M, solution: Cluster[Any]) -> None:
        self.settings = settings
        self.solution = solution
        self.entry: Entry | None = None
        """Of the access layer, where this manager has to move it; set before `start`."""

    @abstractmethod
    def start(self) -> None:
        """Begin to watch; returns when it does. The servers run, joined, and the access layer is there."""

    def start_node(self, node: Server) -> None:
        """Start a dead node again as a member.

        Raises:
            FiveninesError: it could not be started or attached; says why.
        """
        self.start_on(node)
        if not self.settings.supervises:
            self.solution.rejoin(node)

    def start_on(self, node: Server) -> None:
        """Start again what it runs on a node's host, where that ended; if it `supervises`, the server, too.

        Raises:
            FiveninesError: it does not start; says why.
        """
        return

    @abstractmethod
    def events(self) -> list[ManagerEvent]:
        """What it has noticed and done so far, on the clock CLOCK_MONOTONIC."""

    @abstractmethod
    def stop(self) -> None:
        """Stop watching."""

    @property
    def alive(self) -> bool:
        """Whether it watches now."""
        return True

    @property
    def at_work(self) -> bool:
        """Whether it is in the midst of a failover: nobody else then starts, stops or repoints a server."""
        return False

    def kill(self) -> None:
        """SIGKILL to its process; returns when it has ended.

        Raises:
            FiveninesError: it has none.
        """
        raise FiveninesError(f"the failover manager {self.settings.kind} has no process")

    def restart(self) -> None:
        """Start it again after it died; returns when it watches the primary of now.

        Raises:
            FiveninesError: it does not.
        """
        raise FiveninesError(f"the failover manager {self.settings.kind} has no process")

    def switch_over(self) -> str:
        """Hand the primary's role to the best replica, as planned maintenance does; the new one's name.

        Raises:
            FiveninesError: it cannot, or did not; says why.
        """
        raise FiveninesError(f"the failover manager {self.settings.kind} makes no switchover")
