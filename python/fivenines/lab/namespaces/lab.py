"""A private lab on this machine: the namespaces of all hosts of one trial."""

from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab import limits
from fivenines.lab.host import Root
from fivenines.lab.lab import Lab, remove_tree
from fivenines.lab.namespaces.host import NamespaceHost
from fivenines.lab.namespaces.network import NamespaceNetwork
from fivenines.lab.network.network import address
from fivenines.lab.network.sites import Sites
from fivenines.lab.processes import ids, lifeline
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.vm import requirements as vm_requirements
from fivenines.lab.vm.host import VirtualMachine
from fivenines.lab.vm.machine import Machine


class NamespaceLab(Lab):
    """A private lab, without root unless it maps all user ids.

    Args:
        folder: scratch folder of this lab, see `Lab`.
        network: sites, links and bandwidth of the hosts; None: one plain site.
        all_ids: map all user ids one to one, for programs that change their user; needs root.

    Raises:
        FiveninesError: the lab cannot be set up here; the message gives the reason.
    """

    sites: Sites
    network: NamespaceNetwork

    def __init__(
        self, folder: Path, network: NetworkSettings | None = None, *, all_ids: bool = False
    ) -> None:
        if all_ids and (lacking := ids.problem()):
            raise FiveninesError(f"the lab cannot map all user ids: {lacking}")
        self.all_ids = all_ids
        self._groups = limits.detect()
        self.limits_reason = self._groups.reason
        super().__init__(folder)
        self._here: list[NamespaceHost] = []
        command = [str(core_binary()), "init", "lab", *(["--all-ids"] if all_ids else [])]
        self._first = lifeline.start(command, self.folder / "lab.log")
        settings = network or NetworkSettings()
        self.sites = sites = Sites(settings)
        self.network = NamespaceNetwork(settings, sites, self.pid, self.folder, self.hosts)

    @property
    def pid(self) -> int:
        return self._first.pid

    def add_host(
        self,
        name: str,
        root: Root,
        *,
        memory: int | None = None,
        cpus: float | None = None,
        turn: int | None = None,
        machine: Machine | None = None,
    ) -> NamespaceHost:
        """Add a host with the next address, in its site; see `NamespaceHost` and `Sites.place`.

        With a `machine`, the host is a virtual machine, see `VirtualMachine`.

        Raises:
            FiveninesError: virtual machines are not possible here; the message gives the reason.
        """
        if machine is not None and (lacking := vm_requirements.problem()):
            raise FiveninesError(f"{name} cannot be a virtual machine: {lacking}")
        if machine is not None and not machine.kernel.is_dir():
            raise FiveninesError(
                f"{name} cannot be a virtual machine: its kernel is missing: run `fivenines engines pull uml`"
            )
        # A virtual machine has this much memory, and its kernel needs more in addition.
        group = limits.HostGroup(self._groups, name, None if machine else memory, cpus)
        index = len(self.hosts) + 1
        self.sites.place(name, turn)
        place = (name, address(index), self.folder / name, root, group)
        host = VirtualMachine(*place, machine) if machine else NamespaceHost(*place, all_ids=self.all_ids)
        host.start(self.pid)
        self.network.join(host, index)
        self.hosts[name] = host
        self._here.append(host)
        return host

    def close(self) -> None:
        """End all processes of the lab and remove its scratch folder."""
        for host in self._here:
            host.end()
        self.network.close()
        self._first.end()
        for host in self._here:
            host.group.remove()
        remove_tree(self.folder)
