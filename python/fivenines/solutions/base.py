"""A running solution: deployed in a lab, queried for roles, broken and recovered.

A subclass defines how its servers are configured and joined, which roles they have, and how a dead node
rejoins. A new solution is one file with a `SolutionSettings` and a `Solution`.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from fivenines.faults.base import Fault
from fivenines.faults.settings import FaultSettings
from fivenines.lab.disks.disk import Calls, Disk
from fivenines.lab.host import Root
from fivenines.lab.lab import Lab
from fivenines.lab.vm.disk_faults import VmDiskFaults
from fivenines.lab.vm.host import Machine, VirtualMachine
from fivenines.load import dataset
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.results.records import Divergence
from fivenines.servers.base import Value
from fivenines.servers.cluster.cluster import Cluster, N
from fivenines.servers.daemon import daemon
from fivenines.servers.families import server
from fivenines.servers.in_effect import Finding
from fivenines.servers.roles import Company
from fivenines.servers.spelled import AT_INITDB, IN_CONTROL_FILE, layered, plain, with_plugins
from fivenines.software.base import Engine, Report
from fivenines.software.store import engine
from fivenines.solutions.durability import DECIDING
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.vms import BEARS, BEARS_OTHERS, for_vms, vm_machine

S = TypeVar("S", bound=SolutionSettings)


class Solution(Cluster[N], Generic[S, N]):
    """One deployed HA architecture.

    Args:
        settings: from the experiment file.
        lab: the lab for its hosts.
        engine: its database server.
        data: folder of the data set that every node starts from.
    """

    settings_type: ClassVar[type[SolutionSettings]]

    # Name of a step after loading that makes the data of one server usable; see `dataset.ensure`.
    bootstrap: ClassVar[tuple[str, dataset.Bootstrap] | None] = None

    def __init__(self, settings: S, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings.name, settings.topology(), lab, engine)
        self.settings = settings
        self.read_replicas = settings.reads == "replicas"
        self.phases: dict[str, float] = {}
        # System calls for disks that faults will intercept; set before `deploy`.
        self.disk_calls: frozenset[Calls] = frozenset()
        self._data = data
        # Number of hosts of each kind that another cluster in this lab has; the numbers of this cluster
        # follow.
        self.hosts_before: Mapping[str, int] = {}
        # The site of all its hosts, see `Sites.place`; None: they are spread over the sites.
        self.turn: int | None = None
        # Settings of a node that come from joining its cluster with another one.
        self.joined_with: Callable[[N], Mapping[str, Value]] = lambda _node: {}

    # for subclasses

    @abstractmethod
    def configuration(self, node: N) -> dict[str, Value]:
        """Return server settings of a node, in addition to the defaults and the user's settings."""

    @abstractmethod
    def start(self) -> None:
        """Start all servers and join them; return when the solution is writable and complete."""

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

    @property
    def company(self) -> Company:
        """Return when a primary counts as accompanied, and so may be relaxed with adaptive durability."""
        return Company()

    def prepare(self) -> None:
        """Start what needs no data, while the data are copied; the hosts of the nodes exist."""
        return

    # common to all solutions

    @classmethod
    def data_for(cls, settings: S, workload: WorkloadSettings, report: Report, begun: bool = False) -> Path:
        """Return the folder of its data set for this workload; create the data set if it is not in the cache.

        Args:
            settings: from the experiment file.
            workload: the workload of the data.
            report: callback for progress messages.
            begun: whether a run is continued that began earlier.

        Raises:
            FiveninesError: it could not be created.
        """
        return dataset.ensure(
            engine(settings.engine), workload, report, cls.bootstrap, settings.data_settings
        )

    @classmethod
    def existing(cls, settings: S, report: Report) -> AbstractContextManager[None]:
        """Provide what lasts for a whole run while the context is open.

        Raises:
            FiveninesError: it could not be created or removed.
        """
        return nullcontext()

    @classmethod
    def over_budget(cls, settings: S, seconds: float) -> str:
        """Return why a trial of this length would exceed the budget; empty if it may begin."""
        return ""

    def fault(self, settings: FaultSettings) -> Fault[Any] | None:
        """Return a fault by the solution's own means where the lab has none; None: use the lab's."""
        return None

    def leave(self) -> None:
        """Remove what must not remain after a trial outside the lab."""
        return

    def deploy(self) -> None:
        """Deploy it; `phases` then contains the seconds of each step."""
        with self.timed("hosts"):
            self.add_hosts()
            self.prepare()
        with self.timed("data"):
            self.hand_out()
        with self.timed("start"):
            for node in self.nodes:
                self.configure(node)
            self.start()

    def hand_out(self) -> None:
        """Give every server a fresh copy of its data."""
        dataset.hand_out(self._data, self.nodes, self.each)

    def add_hosts(self) -> None:
        """Create the hosts of its nodes; nothing runs on them yet."""
        limits = self.settings.limits
        for name in self.host_names("node", self.settings.nodes):
            host = self.lab.add_host(
                name,
                self.root(),
                memory=limits.memory,
                cpus=limits.cpus,
                turn=self.turn,
                machine=self._machine_for_faults(),
            )
            node = server(host, self.engine, self.passwords)
            node.setup.made_with = self._made_with()
            host.show_socket(node.socket_name)
            self.nodes.append(cast(N, node))
            if self.disk_calls:
                self.nodes[-1].disk = (
                    VmDiskFaults(host) if isinstance(host, VirtualMachine) else Disk(host, self.disk_calls)
                )

    def _made_with(self) -> dict[str, Value]:
        """Return user settings that a data directory is created or started with for the first time.

        A standby does not start with smaller values than its data's control file has, and neither does
        Patroni start a server with them (manual, 26.4.3 "Administrator's Overview"; postgresql/config.py).
        The first start, which sets the passwords, writes that file.
        """
        made = self.settings.data_settings
        if self.engine.family != "postgresql":
            return made
        given = layered("postgresql", self.given())
        return {**made, **{name: value for name, value in given.items() if name in IN_CONTROL_FILE}}

    def machine(self) -> Machine | None:
        """Return the virtual machine of a node; None: the node is a host of the lab."""
        if self.settings.machines == "namespaces":
            return None
        return vm_machine(self.settings.limits.memory, self.engine, dataset.size(self._data))

    def _machine_for_faults(self) -> Machine | None:
        machine = self.machine()
        if machine is None or "sync" not in self.disk_calls:
            return machine
        return replace(machine, delayed=True)

    @property
    def bears_connection_every(self) -> float:
        """Return the seconds between new connections that its servers tolerate under load; 0: any rate."""
        if self.settings.machines == "namespaces":
            return 0.0
        return BEARS.get(self.engine.family, BEARS_OTHERS)

    def host_names(self, kind: str, count: int) -> list[str]:
        """Return the names of its hosts of a kind."""
        before = self.hosts_before.get(kind, 0)
        return [f"{kind}{number}" for number in range(before + 1, before + count + 1)]

    def start_alone(self, node: N) -> None:
        """Start a node's server on its copy of the data without any other node, for a preflight."""
        daemon(node).start()

    def root(self) -> Root:
        """Return the root file system of its nodes."""
        manager = self.settings.failover_manager
        software = manager.software if manager is not None else None
        return self.engine.root() if software is None else engine(software).root()

    def configure(self, node: N) -> None:
        """Write the configuration of a node's server."""
        node.setup.configure(self.whole_configuration(node))

    def whole_configuration(self, node: N) -> dict[str, Value]:
        """Return its settings in layers: access layer, solution, partner cluster, manager, user."""
        settings, manager = self.settings, self.settings.failover_manager
        reached = settings.access.server_settings
        managed = manager.server_settings if manager is not None else {}
        joined = self.joined_with(node)
        vms = for_vms(node, settings.server) if settings.machines == "virtual-machines" else {}
        family = self.engine.family
        own = layered(family, vms, reached, self.configuration(node), joined, managed)
        return layered(family, own, with_plugins(own, self.given()))

    def given(self) -> dict[str, Value]:
        """Return the user's settings for each server, without those that the solution merges with its own."""
        server = self.settings.server
        if self.engine.family != "postgresql":
            return dict(server)
        # These settings are stored in its data directory.
        return {name: value for name, value in server.items() if plain(name, "postgresql") not in AT_INITDB}

    @property
    def of_role(self) -> frozenset[str]:
        """Return server settings, by canonical names, that follow a node's role in this solution."""
        manager = self.settings.failover_manager
        by_role = frozenset(DECIDING) if self.settings.durability.by_role else frozenset()
        return by_role | (manager.changes if manager is not None else frozenset())

    def parts_in_effect(self) -> list[Finding]:
        """Return settings of parts other than nodes that are not in effect, or not observed."""
        return []

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Measure how long a step of the deployment takes."""
        begun = time.monotonic()
        yield
        self.phases[phase] = round(time.monotonic() - begun, 3)
