"""Which host belongs to which site."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.lab.settings import NetworkSettings

NODE = re.compile(r"node([1-9][0-9]*)")
"""What database nodes are called."""


class Sites:
    """Places hosts as they are added: named ones as named, those that have a turn by that, other nodes as
    they come, the rest in the first.
    """

    def __init__(self, network: "NetworkSettings") -> None:
        self.names = network.site_names
        self._named = network.named_hosts
        self._dealt = 0
        self._of: dict[str, str] = {}

    def place(self, host: str, turn: int | None = None) -> str:
        """The site of a host, which it keeps.

        Args:
            host: its name.
            turn: the number of its site unless it is named; after the last comes the first again.
        """
        if host not in self._of:
            self._of[host] = self._choose(host, turn)
        return self._of[host]

    def members(self) -> dict[str, list[str]]:
        """The hosts placed so far, by site; every site is there."""
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for host, site in self._of.items():
            found[site].append(host)
        return found

    def _choose(self, host: str, turn: int | None) -> str:
        if host in self._named:
            return self._named[host]
        if turn is not None:
            return self.names[turn % len(self.names)]
        if not NODE.fullmatch(host):
            return self.names[0]
        self._dealt += 1
        return self.names[(self._dealt - 1) % len(self.names)]
