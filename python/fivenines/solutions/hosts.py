"""Hosts of a solution's nodes: names, root file systems, virtual machines, limits."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, cast

from fivenines.lab.disks.disk import Calls, Disk
from fivenines.lab.host import Root
from fivenines.lab.vm.disk_faults import VmDiskFaults
from fivenines.lab.vm.host import VirtualMachine
from fivenines.lab.vm.machine import Machine
from fivenines.load import dataset
from fivenines.servers.base import Value
from fivenines.servers.cluster.aspect import N
from fivenines.servers.families import server
from fivenines.servers.spelled import IN_CONTROL_FILE, layered
from fivenines.software.store import engine
from fivenines.solutions.settings import S
from fivenines.solutions.vms import BEARS, BEARS_OTHERS, vm_machine

if TYPE_CHECKING:
    from fivenines.solutions.base import Solution


class Hosts(Generic[S, N]):
    """Creates the hosts of one solution in its lab.

    Args:
        solution: the solution, which gets a node for each host.
    """

    def __init__(self, solution: "Solution[S, N]") -> None:
        self.solution = solution
        # System calls for disks that faults will intercept; set before `deploy`.
        self.disk_calls: frozenset[Calls] = frozenset()
        # Number of hosts of each kind that another cluster in this lab has; the numbers of this cluster
        # follow.
        self.before: Mapping[str, int] = {}
        # The site of all its hosts, see `Sites.place`; None: they are spread over the sites.
        self.turn: int | None = None

    @property
    def settings(self) -> S:
        """Return the settings of the solution."""
        return self.solution.settings

    def add(self) -> None:
        """Create the hosts of its nodes; nothing runs on them yet."""
        solution, limits = self.solution, self.settings.limits
        for name in self.names("node", self.settings.traits.nodes):
            host = solution.lab.add_host(
                name,
                self.root(),
                memory=limits.memory,
                cpus=limits.cpus,
                turn=self.turn,
                machine=self.made_of(),
            )
            made = server(host, solution.engine, solution.passwords)
            made.setup.made_with = self._made_with()
            host.files.show_socket(made.socket_name)
            if self.disk_calls:
                made.disk = (
                    VmDiskFaults(host) if isinstance(host, VirtualMachine) else Disk(host, self.disk_calls)
                )
            solution.nodes.append(cast(N, made))

    def names(self, kind: str, count: int) -> list[str]:
        """Return the names of its hosts of a kind."""
        before = self.before.get(kind, 0)
        return [f"{kind}{number}" for number in range(before + 1, before + count + 1)]

    def root(self) -> Root:
        """Return the root file system of its nodes."""
        manager = self.settings.failover_manager
        software = manager.software if manager is not None else None
        return self.solution.engine.root() if software is None else engine(software).root()

    def machine(self) -> Machine | None:
        """Return the virtual machine of a node; None: the node is a host of the lab."""
        if self.settings.machines == "namespaces":
            return None
        size = dataset.size(self.solution.data_set)
        return vm_machine(self.settings.limits.memory, self.solution.engine, size)

    @property
    def bears_connection_every(self) -> float:
        """Return the seconds between new connections that its servers tolerate under load; 0: any rate."""
        if self.settings.machines == "namespaces":
            return 0.0
        return BEARS.get(self.solution.engine.family, BEARS_OTHERS)

    def made_of(self) -> Machine | None:
        """Return the virtual machine of a node, as the faults of this deployment need it."""
        machine = self.machine()
        if machine is None or "sync" not in self.disk_calls:
            return machine
        return replace(machine, delayed=True)

    def _made_with(self) -> dict[str, Value]:
        """Return user settings that a data directory is created or started with for the first time.

        A standby does not start with smaller values than its data's control file has, and neither does
        Patroni start a server with them (manual, 26.4.3 "Administrator's Overview"; postgresql/config.py).
        The first start, which sets the passwords, writes that file.
        """
        made = self.settings.data_settings
        if self.solution.engine.family != "postgresql":
            return made
        given = layered("postgresql", self.solution.configuration.given())
        return {**made, **{name: value for name, value in given.items() if name in IN_CONTROL_FILE}}
