"""Switch machines of an inventory off and on, several at once."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from fivenines.lab.lab_power import LabPower
from fivenines.lab.ssh.network.network import SshNetwork
from fivenines.lab.ssh.network.sites import InventorySites


class SshLabPower(LabPower):
    """The power of the hosts' machines.

    Args:
        sites: the hosts.
        network: their network, in which cuts and links end with a machine.
    """

    available = True

    def __init__(self, sites: InventorySites, network: SshNetwork) -> None:
        self._sites, self._network = sites, network

    def off(self, names: Iterable[str]) -> bool:
        hosts = [self._sites.known(name) for name in names]
        with ThreadPoolExecutor(len(hosts)) as pool:
            list(pool.map(lambda host: host.power.off(), hosts))
        for host in hosts:
            self._network.switched_off(host.name)
        return not any(host.power.is_on for host in hosts)

    def on(self, names: Iterable[str]) -> None:
        hosts = [self._sites.known(name) for name in names]
        with ThreadPoolExecutor(len(hosts)) as pool:
            list(pool.map(lambda host: host.power.on(), hosts))
        for host in hosts:
            self._network.switched_on(host.name)
