"""A lab whose hosts never start: they have names, addresses and folders, for files that are only rendered."""

import os
from pathlib import Path

from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab, remove_tree
from fivenines.lab.network.network import address
from fivenines.lab.network.sites import Sites
from fivenines.lab.network.uncontrolled import UncontrolledNetwork
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.this_machine import ExternalHost
from fivenines.lab.vm.machine import Machine


class UnstartedLab(Lab):
    """The hosts of a lab with their addresses, and no process: it needs no rights, and takes no time.

    Args:
        folder: scratch folder of this lab, see `Lab`.
        network: sites of the hosts; None: one site.
    """

    sites: Sites

    limits_reason = ""

    def __init__(self, folder: Path, network: NetworkSettings | None = None) -> None:
        super().__init__(folder)
        self.sites = Sites(network or NetworkSettings())
        self.network = UncontrolledNetwork()
        self.network.settings = network or NetworkSettings()

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
        """Add a host with the address that it would have in a lab on this machine; commands are refused."""
        self.sites.place(name, turn)
        self.hosts[name] = ExternalHost(name, address(len(self.hosts) + 1), self.folder / name)
        return self.hosts[name]

    def close(self) -> None:
        """Remove the scratch folder."""
        remove_tree(self.folder)
