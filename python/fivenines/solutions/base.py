"""A solution at work: deployed in a lab, asked for roles, broken and recovered.

A subclass says how its servers are configured and joined, who has which role, and how a node that died
comes back. Adding a solution is one file with a `SolutionSettings` and a `Solution`.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from fivenines.cluster.cluster import Cluster, N
from fivenines.faults.base import Fault
from fivenines.faults.settings import FaultSettings
from fivenines.lab.disk import Calls, Disk
from fivenines.lab.host import Root
from fivenines.lab.lab import Lab
from fivenines.lab.vm import Machine, VirtualMachine
from fivenines.lab.vm_disk_faults import VmDiskFaults
from fivenines.load import dataset
from fivenines.results.records import Divergence
from fivenines.servers.base import Value
from fivenines.servers.families import server
from fivenines.servers.in_effect import Finding
from fivenines.servers.roles import Company
from fivenines.servers.spelled import AT_INITDB, IN_CONTROL_FILE, layered, plain, with_plugins
from fivenines.software.base import Engine, Report
from fivenines.software.store import engine
from fivenines.solutions.durability import DECIDING
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.vms import BEARS, BEARS_OTHERS, for_vms, vm_machine
from fivenines.workloads.settings import WorkloadSettings

S = TypeVar("S", bound=SolutionSettings)


class Solution(Cluster[N], Generic[S, N]):
    """One deployed HA architecture.

    Args:
        settings: what the experiment file says.
        lab: where its hosts are made.
        engine: its database server.
        data: folder of the data set that every node starts from.
    """

    settings_type: ClassVar[type[SolutionSettings]]

    bootstrap: ClassVar[tuple[str, dataset.Bootstrap] | None] = None
    """What its data needs beyond what one server has loaded; see `dataset.ensure`."""

    def __init__(self, settings: S, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings.name, settings.topology(), lab, engine)
        self.settings = settings
        self.read_replicas = settings.reads == "replicas"
        self.phases: dict[str, float] = {}
        self.disk_calls: frozenset[Calls] = frozenset()
        """Calls to the disk that faults will interfere with, set before `deploy`."""
        self._data = data
        self.hosts_before: Mapping[str, int] = {}
        """How many hosts of each kind another cluster has in this lab; its own are numbered after them."""
        self.turn: int | None = None
        """The site of all its hosts, see `Sites.place`; None: they are dealt over the sites."""
        self.joined_with: Callable[[N], Mapping[str, Value]] = lambda _node: {}
        """Settings of a node that it owes to what its cluster is joined with."""

    # what a subclass says

    @abstractmethod
    def configuration(self, node: N) -> dict[str, Value]:
        """Server settings of a node, beside our defaults and the user's own."""

    @abstractmethod
    def start(self) -> None:
        """Start all servers and join them; returns when the solution is writable and complete."""

    @property
    def compared(self) -> bool:
        """Whether all tables are compared between its nodes after a trial."""
        return True

    def compare_copies(self, left_out: Mapping[str, str]) -> Divergence | None:
        """Compare its copies by its own means after a trial; None: table by table, as usual.

        Args:
            left_out: nodes that are known to be out, with the reason.
        """
        return None

    @property
    def company(self) -> Company:
        """When its primary is not alone, and so may be relaxed where durability is adaptive."""
        return Company()

    def prepare(self) -> None:
        """Start what needs no data, while they are copied; the hosts of the nodes are there."""
        return

    # what all solutions do alike

    @classmethod
    def data_for(cls, settings: S, workload: WorkloadSettings, report: Report, begun: bool = False) -> Path:
        """The folder of its data set with this workload, made now where it is not kept.

        Args:
            settings: what the experiment file says.
            workload: whose data.
            report: told about progress.
            begun: whether a run that has begun before goes on.

        Raises:
            FiveninesError: it could not be made.
        """
        return dataset.ensure(
            engine(settings.engine), workload, report, cls.bootstrap, settings.data_settings
        )

    @classmethod
    def existing(cls, settings: S, report: Report) -> AbstractContextManager[None]:
        """What lasts longer than its trials: it exists inside, for a whole run.

        Raises:
            FiveninesError: it could not be made, or be taken away again.
        """
        return nullcontext()

    @classmethod
    def too_dear(cls, settings: S, seconds: float) -> str:
        """Why a trial that takes so long may not begin, as it would cost too much; empty if it may."""
        return ""

    def fault(self, settings: FaultSettings) -> Fault[Any] | None:
        """A fault by the solution's own means, where the lab has none to break it; None: as usual."""
        return None

    def leave(self) -> None:
        """Take away what must not stay when the trial is over; in the lab nothing stays anyway."""
        return

    def deploy(self) -> None:
        """Bring it up from nothing; `phases` then holds the seconds of each step."""
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
        """Make the hosts of its nodes; nothing runs on them yet."""
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
            self.nodes.append(cast(N, server(host, self.engine, self.passwords)))
            self.nodes[-1].made_with = self._made_with()
            host.show_socket(self.nodes[-1].socket_name)
            if self.disk_calls:
                self.nodes[-1].disk = (
                    VmDiskFaults(host) if isinstance(host, VirtualMachine) else Disk(host, self.disk_calls)
                )

    def _made_with(self) -> dict[str, Value]:
        """What the data of a node are made with, or begin with: a person's settings that they keep.

        A standby does not start with less than its data's control file has, and Patroni starts no server with
        less (manual, 26.4.3 "Administrator's Overview"; postgresql/config.py). The first start, which sets
        the passwords, writes that file.
        """
        made = self.settings.data_settings
        if self.engine.family != "postgresql":
            return made
        given = layered("postgresql", self.given())
        return {**made, **{name: value for name, value in given.items() if name in IN_CONTROL_FILE}}

    def machine(self) -> Machine | None:
        """The virtual machine that a node is; None: it is a host of the lab."""
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
        """Seconds between two fresh connections that its servers bear beside a load; 0: any number."""
        if self.settings.machines == "namespaces":
            return 0.0
        return BEARS.get(self.engine.family, BEARS_OTHERS)

    def host_names(self, kind: str, count: int) -> list[str]:
        """The names of its hosts of a kind."""
        before = self.hosts_before.get(kind, 0)
        return [f"{kind}{number}" for number in range(before + 1, before + count + 1)]

    def start_alone(self, node: N) -> None:
        """Start a node's server on its copy of the data without any other node, as a preflight does."""
        node.start()

    def root(self) -> Root:
        """What its nodes see as their root."""
        manager = self.settings.failover_manager
        software = manager.software if manager is not None else None
        return self.engine.root() if software is None else engine(software).root()

    def configure(self, node: N) -> None:
        """Write the configuration of a node's server."""
        node.configure(self.whole_configuration(node))

    def whole_configuration(self, node: N) -> dict[str, Value]:
        """Its settings, each over the one before: of access layer, solution, partner, manager, user."""
        settings, manager = self.settings, self.settings.failover_manager
        reached = settings.access.server_settings
        managed = manager.server_settings if manager is not None else {}
        joined = self.joined_with(node)
        vms = for_vms(node, settings.server) if settings.machines == "virtual-machines" else {}
        family = self.engine.family
        own = layered(family, vms, reached, self.configuration(node), joined, managed)
        return layered(family, own, with_plugins(own, self.given()))

    def given(self) -> dict[str, Value]:
        """What a person hands over to each server, without what the solution merges with its own."""
        server = self.settings.server
        if self.engine.family != "postgresql":
            return dict(server)
        # it has them from its data directory
        return {name: value for name, value in server.items() if plain(name, "postgresql") not in AT_INITDB}

    @property
    def of_role(self) -> frozenset[str]:
        """Settings of its servers, by canonical names, that follow a node's role here."""
        manager = self.settings.failover_manager
        by_role = frozenset(DECIDING) if self.settings.durability.by_role else frozenset()
        return by_role | (manager.changes if manager is not None else frozenset())

    def parts_in_effect(self) -> list[Finding]:
        """What of the settings of its parts beside the nodes is not in effect, or not observed."""
        return []

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Note how long a step of the deployment takes."""
        begun = time.monotonic()
        yield
        self.phases[phase] = round(time.monotonic() - begun, 3)
