"""Use this machine in place of a lab, for an external cluster: the load and the hooks run here.

Nothing is isolated and no network can be cut: programs use the machine's own network, processes and files.
Each host only has a folder for its logs.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host, Root
from fivenines.lab.hosts.addresses import HostAddresses
from fivenines.lab.hosts.clock import HostClock
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.hosts.files import HostFiles
from fivenines.lab.hosts.place import Elsewhere
from fivenines.lab.lab import Lab, remove_tree
from fivenines.lab.namespaces.addresses import NamespaceAddresses
from fivenines.lab.namespaces.power import NamespacePower
from fivenines.lab.namespaces.processes import NamespaceProcesses
from fivenines.lab.network.sites import OneSite
from fivenines.lab.network.uncontrolled import UncontrolledNetwork
from fivenines.lab.processes.bound import ends_with_us
from fivenines.lab.processes.process import OwnProcess
from fivenines.lab.vm.machine import Machine


class ExternalCommands(HostCommands):
    """Commands next to an external server: ordinary processes of this machine, and none inside."""

    process_outside = OwnProcess

    def outside(self, command: Sequence[str]) -> list[str]:
        return [*ends_with_us("TERM"), *command]

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        raise FiveninesError(f"fivenines does not control {self._name} and cannot run commands on it")


class ExternalHost(Host):
    """A folder and an address; commands of this host are ordinary processes of this machine."""

    def __init__(self, name: str, address: str, folder: Path) -> None:
        super().__init__(name, address, folder)
        self.namespaces = self.port = nowhere = Elsewhere(f"{name} is not a host of the lab")
        self.commands = ExternalCommands(name, self.node / "log")
        self.files = HostFiles(self.node)
        self.clock = HostClock()
        # Without namespaces, these parts refuse every use.
        self.processes = NamespaceProcesses(nowhere)
        self.addresses: HostAddresses = NamespaceAddresses(nowhere, address)
        self.power = NamespacePower(self.processes, self.addresses)


class ThisMachine(Lab):
    """This machine in place of a lab; `folder` is its scratch folder, removed by `close`."""

    limits_reason = "fivenines does not control the servers"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, mode=0o777)
        self.sites = OneSite(self.hosts)
        self.network = UncontrolledNetwork()

    @property
    def pid(self) -> int:
        return os.getpid()

    def add_host(
        self,
        name: str,
        root: Root,
        *,
        memory: int | None = None,
        cpus: float | None = None,
        turn: int | None = None,
        machine: Machine | None = None,
    ) -> Host:
        """Add a name for a program on this machine; limits, site and virtual machine do not apply."""
        return self.add_external(name, "127.0.0.1")

    def add_external(self, name: str, address: str) -> Host:
        """Add a name for a server at an address, with a folder for its logs."""
        self.hosts[name] = ExternalHost(name, address, self.folder / name)
        return self.hosts[name]

    def close(self) -> None:
        """Remove the scratch folder; the logs in it have been collected."""
        remove_tree(self.folder)
