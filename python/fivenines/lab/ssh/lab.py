"""A lab on the machines of an inventory: each host has a separate machine, on the machines' own network.

For ports in use see `ports_in_use`, for partitions `cuts`, and for the clean-up the guard in `crates/lab`.
"""

import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host, Root
from fivenines.lab.lab import Lab, remove_tree
from fivenines.lab.settings import NetworkSettings
from fivenines.lab.ssh import enrolled, ports_in_use
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.ssh.host import SshHost
from fivenines.lab.ssh.inventory import Inventory
from fivenines.lab.ssh.lab_clocks import SshLabClocks
from fivenines.lab.ssh.lab_power import SshLabPower
from fivenines.lab.ssh.login import require_library
from fivenines.lab.ssh.network.network import SshNetwork
from fivenines.lab.ssh.network.sites import InventorySites
from fivenines.lab.ssh.placement import Places
from fivenines.lab.vm.machine import Machine

# Addresses of machines in use by labs of this process; an interleaved comparison has several labs.
_IN_USE: set[str] = set()


class SshLab(Lab):
    """Hosts on machines of an inventory. At its end only our program, engines and data sets remain there.

    Args:
        folder: scratch folder here, removed by `close`.
        inventory: the machines.
        network: sites of named hosts, and settings of the links between sites.

    Raises:
        FiveninesError: a machine cannot be used; the message gives the reason.
    """

    sites: InventorySites
    network: SshNetwork

    limits_reason = "hosts are machines of an inventory"

    def __init__(self, folder: Path, inventory: Inventory, network: NetworkSettings | None = None) -> None:
        require_library()
        super().__init__(folder)
        settings = network or NetworkSettings()
        self._inventory = inventory
        if inventory.virtual_address is not None:
            self.virtual_address = str(inventory.virtual_address)
        self._places = Places(inventory.hosts, _IN_USE)
        self._id = secrets.token_hex(4)
        self._there: dict[str, SshHost] = {}
        self.sites = sites = InventorySites(inventory, settings, self._there)
        self.network = SshNetwork(settings, sites, inventory, self._id)
        self.power = SshLabPower(sites, self.network)
        self.clocks = SshLabClocks(self._there)

    @property
    def pid(self) -> int:
        """Raise: hosts on other machines have no first process here.

        Raises:
            FiveninesError: always.
        """
        raise FiveninesError("the hosts are on other machines")

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
        """Set up a machine of the inventory as a host.

        Raises:
            FiveninesError: no machine is left, or it cannot be used; the message gives the reason.
        """
        if machine is not None or memory is not None or cpus is not None:
            raise FiveninesError(f"{name}: hosts over SSH do not support `limits` and virtual machines")
        of = self._places.take(name, self.sites.wanted(name, turn))
        connection = Connection(of, self._inventory.machine(of))
        try:
            enrolled.require(connection)
            ports_in_use.require_free(connection)
            place = f"{connection.machine.folder}/hosts/{self._id}-{name}"
            peers = [str(machine.address) for machine in self._inventory.hosts.values()]
            host = SshHost(
                name, self.folder / name, root, connection, place, self._inventory.silence, peers, self.tell
            )
            self.hosts[name] = self._there[name] = host
            host.begin()
        except BaseException:
            connection.close()
            raise
        self.network.join(host)
        return host

    def close(self) -> None:
        self.network.close()
        with ThreadPoolExecutor(max(1, len(self._there))) as pool:
            list(pool.map(lambda host: host.end(), self._there.values()))
        self._places.leave()
        remove_tree(self.folder)
