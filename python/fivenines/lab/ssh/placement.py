"""Assign the machines of an inventory to the hosts of a trial."""

import re
from collections.abc import Mapping

from fivenines.base.errors import UsageError
from fivenines.lab.ssh.inventory import MachineSettings, Role

_NODE = re.compile(r"(node|sql|data)\d+")
# Hosts that neither store data nor generate load. All other names are clients.
_OTHERS = {"proxy", "manager", "arbiter", "management", "etcd"}


class Places:
    """Give each host of a trial a separate machine: first one with its role, then one with role `any`.

    Args:
        machines: machines by name.
        in_use: addresses of machines in use; machines that are taken here are added.
    """

    def __init__(self, machines: Mapping[str, MachineSettings], in_use: set[str]) -> None:
        self._machines = machines
        self._in_use = in_use
        # The machine of each host.
        self.taken: dict[str, str] = {}

    def take(self, host: str, site: str | None = None) -> str:
        """Return the name of a machine for a host, in `site` if it is given, and reserve it.

        Raises:
            UsageError: no machine is left.
        """
        role: Role = (
            "node" if _NODE.fullmatch(host) else "other" if host.rstrip("0123456789") in _OTHERS else "client"
        )
        free = [name for name, machine in self._machines.items() if str(machine.address) not in self._in_use]
        near = [name for name in free if site in (None, self._machines[name].site)]
        for candidate in (role, "any"):
            for name in near:
                if self._machines[name].role == candidate:
                    self.taken[host] = name
                    self._in_use.add(str(self._machines[name].address))
                    return name
        where = f" in the site {site}" if site is not None else ""
        raise UsageError(
            f"The inventory has no machine left{where} for the host {host}: add one with "
            f"`role: {role}` or `role: any`. Taken: "
            + (", ".join(f"{name} by {taker}" for taker, name in self.taken.items()) or "none")
        )

    def leave(self) -> None:
        """Release the machines for other labs."""
        for name in self.taken.values():
            self._in_use.discard(str(self._machines[name].address))
        self.taken.clear()
