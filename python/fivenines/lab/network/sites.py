"""Assign hosts to sites."""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection

from fivenines.base.errors import FiveninesError
from fivenines.lab.settings import ONE_SITE, NetworkSettings

# Names of database nodes.
NODE = re.compile(r"node([1-9][0-9]*)")


def require_known(host: str, hosts: Collection[str]) -> None:
    """Check that a host exists.

    Raises:
        FiveninesError: it does not; the message names all hosts.
    """
    if host not in hosts:
        raise FiveninesError(f"unknown host {host!r}; the hosts are: {', '.join(hosts)}")


class LabSites(ABC):
    """The sites of a lab, and the hosts in them."""

    @abstractmethod
    def members(self) -> dict[str, list[str]]:
        """Return the names of the hosts in each site."""

    @abstractmethod
    def of(self, host: str) -> str:
        """Return the site of a host.

        Raises:
            FiveninesError: the host is unknown.
        """


class OneSite(LabSites):
    """The only site of hosts between which fivenines does not control the network.

    Args:
        hosts: names of the hosts, with those that are added later.
    """

    def __init__(self, hosts: Collection[str]) -> None:
        self._hosts = hosts

    def members(self) -> dict[str, list[str]]:
        return {ONE_SITE: list(self._hosts)}

    def of(self, host: str) -> str:
        return ONE_SITE


class Sites(LabSites):
    """Place hosts in sites as they are added.

    Hosts that the settings name are placed there, hosts with a turn by their turn, other nodes round robin,
    and all other hosts in the first site.
    """

    def __init__(self, network: NetworkSettings) -> None:
        self.names = network.site_names
        self._named = network.named_hosts
        self._dealt = 0
        self._of: dict[str, str] = {}

    def place(self, host: str, turn: int | None = None) -> str:
        """Return the site of a host, which stays the same.

        Args:
            host: the host's name.
            turn: number of its site, modulo the number of sites, unless the settings name the host.
        """
        if host not in self._of:
            self._of[host] = self._choose(host, turn)
        return self._of[host]

    def of(self, host: str) -> str:
        require_known(host, self._of)
        return self._of[host]

    def members(self) -> dict[str, list[str]]:
        hosts: dict[str, list[str]] = {name: [] for name in self.names}
        for host, site in self._of.items():
            hosts[site].append(host)
        return hosts

    def _choose(self, host: str, turn: int | None) -> str:
        if host in self._named:
            return self._named[host]
        if turn is not None:
            return self.names[turn % len(self.names)]
        if not NODE.fullmatch(host):
            return self.names[0]
        self._dealt += 1
        return self.names[(self._dealt - 1) % len(self.names)]
