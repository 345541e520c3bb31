"""Which machine of an inventory is which host of a trial."""

import re
from collections.abc import Mapping

from fivenines.errors import UsageError
from fivenines.lab.ssh.inventory import MachineSettings, Role

_NODE = re.compile(r"(node|sql|data)\d+")
_OTHERS = {"proxy", "manager", "arbiter", "management", "etcd"}
"""Hosts that neither keep data nor make a load; all others are called as a client is."""


class Places:
    """Gives each host of a trial a machine of its own: of its role first, then whichever is for any.

    Args:
        machines: by name.
        in_use: addresses that others have, to which those are added that are taken here.
    """

    def __init__(self, machines: Mapping[str, MachineSettings], in_use: set[str]) -> None:
        self._machines = machines
        self._in_use = in_use
        self.taken: dict[str, str] = {}
        """The machine of each host."""

    def take(self, host: str, site: str | None = None) -> str:
        """The name of a machine for a host, which keeps it; in this site, where one is named.

        Raises:
            UsageError: there is none left.
        """
        role: Role = (
            "node" if _NODE.fullmatch(host) else "other" if host.rstrip("0123456789") in _OTHERS else "client"
        )
        free = [name for name, one in self._machines.items() if str(one.address) not in self._in_use]
        near = [name for name in free if site in (None, self._machines[name].site)]
        for wanted in (role, "any"):
            for name in near:
                if self._machines[name].role == wanted:
                    self.taken[host] = name
                    self._in_use.add(str(self._machines[name].address))
                    return name
        there = f" in the site {site}" if site is not None else ""
        raise UsageError(
            f"the inventory has no machine left{there} for the host {host}: it needs one with "
            f"`role: {role}` or `role: any`. Taken: "
            + (", ".join(f"{name} by {one}" for one, name in self.taken.items()) or "none")
        )

    def leave(self) -> None:
        """Others may take the machines now."""
        for name in self.taken.values():
            self._in_use.discard(str(self._machines[name].address))
        self.taken.clear()
