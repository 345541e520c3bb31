"""Assign hosts to sites."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.lab.settings import NetworkSettings

# Names of database nodes.
NODE = re.compile(r"node([1-9][0-9]*)")


class Sites:
    """Place hosts in sites as they are added.

    Hosts that the settings name are placed there, hosts with a turn by their turn, other nodes round robin,
    and all other hosts in the first site.
    """

    def __init__(self, network: "NetworkSettings") -> None:
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

    def members(self) -> dict[str, list[str]]:
        """Return the placed hosts of every site."""
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
