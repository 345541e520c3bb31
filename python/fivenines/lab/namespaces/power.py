"""Switch a host off that is namespaces: kill its processes and remove its added addresses."""

import psutil

from fivenines.lab.hosts.addresses import HostAddresses
from fivenines.lab.hosts.power import HostPower
from fivenines.lab.hosts.processes import HostProcesses


class NamespacePower(HostPower):
    """The power of a host that is namespaces, which remain: only its processes end."""

    def __init__(self, processes: HostProcesses, addresses: HostAddresses) -> None:
        self._processes, self._addresses = processes, addresses

    @property
    def is_on(self) -> bool:
        """Whether a process runs on the host."""
        return bool(self._processes.running())

    def off(self) -> list[psutil.Process]:
        """Kill all processes and remove added addresses; return the killed processes."""
        killed = self._processes.kill_all()
        self._addresses.keep_only_own()
        return killed
