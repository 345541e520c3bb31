"""The sites of machines of an inventory."""

from collections.abc import Mapping

from fivenines.lab.network.sites import LabSites, require_known
from fivenines.lab.settings import ONE_SITE, NetworkSettings
from fivenines.lab.ssh.host import SshHost
from fivenines.lab.ssh.inventory import Inventory


class InventorySites(LabSites):
    """The sites of an inventory, and the hosts on its machines.

    Args:
        inventory: the machines.
        settings: sites of named hosts.
        hosts: the hosts by name, with those that are added later.
    """

    def __init__(self, inventory: Inventory, settings: NetworkSettings, hosts: Mapping[str, SshHost]) -> None:
        self._inventory, self._settings, self._hosts = inventory, settings, hosts

    def members(self) -> dict[str, list[str]]:
        hosts: dict[str, list[str]] = {site: [] for site in self._inventory.sites or [ONE_SITE]}
        for host in self._hosts:
            hosts[self.of(host)].append(host)
        return hosts

    def of(self, host: str) -> str:
        machine = self._inventory.hosts[self.known(host).connection.name]
        return machine.site or (self._inventory.sites or [ONE_SITE])[0]

    def known(self, host: str) -> SshHost:
        """Return the host of this name.

        Raises:
            FiveninesError: the host is unknown.
        """
        require_known(host, self._hosts)
        return self._hosts[host]

    def wanted(self, name: str, turn: int | None) -> str | None:
        """Return the site in which a host should get a machine; None: any site."""
        named = self._settings.named_hosts.get(name)
        if named is None and turn is not None and (sites := self._inventory.sites):
            return sites[turn % len(sites)]
        return named
