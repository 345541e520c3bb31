"""Base class of failover managers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from fivenines.base.errors import FiveninesError
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.lab.processes.look import Command
from fivenines.servers.base import Server
from fivenines.servers.cluster.capabilities import Entry
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent

M = TypeVar("M", bound=ManagerSettings)


class Manager(ABC, Generic[M]):
    """Watches one solution and promotes another node when its primary dies."""

    settings_type: ClassVar[type[ManagerSettings]]
    # Whether a dead primary is ever replaced.
    promotes: ClassVar[bool] = True

    def __init__(self, settings: M, solution: Cluster[Any]) -> None:
        self.settings = settings
        self.solution = solution
        # Entry of the access layer, if this manager has to move it; set before `configure`.
        self.entry: Entry | None = None
        # What the lab found when it fenced the last server, see `lab_requests`; empty: the server ran.
        self.found_when_fenced = ""

    def configure(self) -> None:
        """Add its host and write its files before `start`; by default it has neither."""
        return

    @abstractmethod
    def start(self) -> None:
        """Begin to watch; return when it does. The servers run, joined, and the access layer exists."""

    def start_node(self, node: Server) -> None:
        """Start a dead node again as a member.

        Raises:
            FiveninesError: it could not be started or attached; with the reason.
        """
        self.start_on(node)
        if not self.settings.supervises:
            self.solution.membership.rejoin(node)

    def start_on(self, node: Server) -> None:
        """Restart its programs on a node's host if they have ended; if it `supervises`, the server, too.

        Raises:
            FiveninesError: it does not start; with the reason.
        """
        return

    @abstractmethod
    def events(self) -> list[ManagerEvent]:
        """Return its events so far, on the clock CLOCK_MONOTONIC."""

    @abstractmethod
    def stop(self) -> None:
        """Stop watching."""

    @property
    def alive(self) -> bool:
        """Return whether it watches now."""
        return True

    def programs(self, host: str) -> Sequence[Command]:
        """Return its programs on a host, whose children may be servers that it starts; by default none."""
        return []

    @property
    def at_work(self) -> bool:
        """Return whether a failover is in progress, in which no other component may act on servers."""
        return False

    @property
    def settled(self) -> bool:
        """Return whether it has nothing left to do, although all nodes are members.

        A fault that comes earlier meets a cluster in motion, as one that is still starting resources.
        """
        return True

    def kill(self) -> None:
        """Send SIGKILL to its process; return when it has ended.

        Raises:
            FiveninesError: it has no process.
        """
        raise FiveninesError(f"the failover manager {self.settings.kind} has no process")

    def restart(self) -> None:
        """Start it again after it died; return when it watches the current primary.

        Raises:
            FiveninesError: it does not.
        """
        raise FiveninesError(f"the failover manager {self.settings.kind} has no process")

    def switch_over(self) -> str:
        """Make a planned switchover to the best replica; return the new primary's name.

        Raises:
            FiveninesError: it cannot, or it failed; with the reason.
        """
        raise FiveninesError(f"the failover manager {self.settings.kind} does not support a switchover")
