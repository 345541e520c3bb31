"""A host that is namespaces of this machine."""

from collections.abc import Mapping
from pathlib import Path

from fivenines.lab.host import Host, Root
from fivenines.lab.hosts.clock import HostClock
from fivenines.lab.hosts.files import HostFiles
from fivenines.lab.hosts.place import LabPort
from fivenines.lab.limits import HostGroup
from fivenines.lab.namespaces.addresses import NamespaceAddresses
from fivenines.lab.namespaces.commands import NamespaceCommands
from fivenines.lab.namespaces.first import Namespaces
from fivenines.lab.namespaces.port import NamespacePort
from fivenines.lab.namespaces.power import NamespacePower
from fivenines.lab.namespaces.processes import NamespaceProcesses


class NamespaceHost(Host):
    """A host in the namespaces of a lab.

    Args:
        name: name of the host.
        address: its address in the lab.
        folder: its folder.
        root: its files.
        group: control groups of its processes.
        all_ids: whether its processes can have any user id.
        mounts: further read-only mounts: path inside, by path outside.
    """

    namespaces: Namespaces
    port: LabPort

    def __init__(
        self,
        name: str,
        address: str,
        folder: Path,
        root: Root,
        group: HostGroup,
        *,
        all_ids: bool = False,
        mounts: Mapping[Path, Path] | None = None,
    ) -> None:
        super().__init__(name, address, folder, all_ids=all_ids)
        self.group = group
        self.namespaces = Namespaces(name, folder, root, mounts)
        self.commands = NamespaceCommands(name, self.node / "log", self.namespaces, group, all_ids=all_ids)
        self.processes = NamespaceProcesses(self.namespaces)
        self.addresses = NamespaceAddresses(self.namespaces, address)
        self.power = NamespacePower(self.processes, self.addresses)
        self.port = NamespacePort(name, self.namespaces)
        self.files = HostFiles(self.node, all_ids=all_ids)
        self.clock = HostClock()

    def take_cpu(self, cpus: float) -> None:
        self.group.take_cpu(cpus, lambda: [process.pid for process in self.processes.running()])

    def give_cpu_back(self) -> None:
        self.group.give_cpu_back()

    def cpu_periods(self) -> tuple[int, int]:
        return self.group.cpu_periods()

    def start(self, lab: int) -> None:
        """Start the host in the lab with this first process."""
        self.namespaces.start(lab)
