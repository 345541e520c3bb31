"""A running solution: deployed in a lab, queried for roles, broken and recovered.

A new solution is one file or folder with a `SolutionSettings`, a `Solution`, and subclasses of the aspects in
which it differs: `Roles`, `Membership`, `Configuration` and others, see the variables of `Cluster` and of
`Solution`.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic

from fivenines.faults.base import Fault
from fivenines.faults.settings import FaultSettings
from fivenines.lab.lab import Lab
from fivenines.load import dataset
from fivenines.results.records import Divergence
from fivenines.servers.cluster.aspect import N
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.daemon import daemon
from fivenines.servers.roles import Company
from fivenines.software.base import Engine
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.hosts import Hosts
from fivenines.solutions.preparation import Preparation
from fivenines.solutions.settings import S, SolutionSettings


class Solution(Cluster[N], ABC, Generic[S, N]):
    """One deployed HA architecture.

    Args:
        settings: from the experiment file.
        lab: the lab for its hosts.
        engine: its database server.
        data: folder of the data set that every node starts from.
    """

    settings_type: ClassVar[type[SolutionSettings]]

    # Server settings of its nodes.
    configuration_type: ClassVar[type[Configuration[Any, Any]]]
    # Creates its hosts.
    hosts_type: ClassVar[type[Hosts[Any, Any]]] = Hosts
    # Prepares its runs.
    preparation: ClassVar[type[Preparation[Any]]] = Preparation

    def __init__(self, settings: S, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings.name, settings.topology(), lab, engine)
        self.settings = settings
        self.data_set = data
        self.read_replicas = settings.reads == "replicas"
        self.configuration: Configuration[S, N] = self.configuration_type(self)
        self.hosts: Hosts[S, N] = self.hosts_type(self)
        # Called when all configuration is written and no server has started that may change it.
        self.on_configured: Callable[[], None] = lambda: None
        # Seconds of each step of the deployment.
        self.phases: dict[str, float] = {}

    def statements(self, node: N) -> list[str]:
        """Return the SQL that `start` runs once on a started node, to make it a member; by default none."""
        return []

    @abstractmethod
    def start(self) -> None:
        """Start all servers and join them; return when the solution is writable and complete."""

    def prepare(self) -> None:
        """Start what needs no data, while the data are copied; all hosts exist."""
        return

    def configure(self) -> None:
        """Write the configuration of all servers that are not running yet; start nothing.

        All hosts exist. `fivenines show` calls this without data and without processes.
        """
        for node in self.nodes:
            self.configuration.write(node)

    def deploy(self) -> None:
        """Deploy it; `phases` then contains the seconds of each step."""
        with self.timed("hosts"):
            self.hosts.add()
            self.prepare()
        with self.timed("data"):
            self.hand_out()
        with self.timed("start"):
            self.configure()
            self.on_configured()
            self.start()

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Measure how long a step of the deployment takes."""
        begun = time.monotonic()
        yield
        self.phases[phase] = round(time.monotonic() - begun, 3)

    def hand_out(self) -> None:
        """Give every server a fresh copy of its data."""
        dataset.hand_out(self.data_set, self.nodes, self.each)

    def start_alone(self, node: N) -> None:
        """Start a node's server on its copy of the data without any other node, for a preflight."""
        daemon(node).start()

    @property
    def company(self) -> Company:
        """Return when a primary counts as accompanied, and so may be relaxed with adaptive durability."""
        return Company()

    def fault(self, settings: FaultSettings) -> Fault[Any] | None:
        """Return a fault by the solution's own means where the lab has none; None: use the lab's."""
        return None

    @property
    def compared(self) -> bool:
        """Return whether all tables are compared between its nodes after a trial."""
        return True

    def compare_copies(self, left_out: Mapping[str, str]) -> Divergence | None:
        """Compare its copies with its own tools after a trial; None: compare tables.

        Args:
            left_out: nodes that are known to be out, with the reason.
        """
        return None

    def leave(self) -> None:
        """Remove what must not remain after a trial outside the lab."""
        return
