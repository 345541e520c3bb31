"""Switch a machine of an inventory off and on, with the host on it."""

import psutil

from fivenines.lab.hosts.addresses import HostAddresses
from fivenines.lab.hosts.power import HostPower
from fivenines.lab.hosts.processes import HostProcesses
from fivenines.lab.ssh import power
from fivenines.lab.ssh.hosts.data_folder import RemoteFolder
from fivenines.lab.ssh.hosts.service import HostService


class SshPower(HostPower):
    """The power of a machine of an inventory.

    Args:
        service: the host there.
        processes: its processes.
        data: its data folder.
        addresses: its addresses.
    """

    def __init__(
        self, service: HostService, processes: HostProcesses, data: RemoteFolder, addresses: HostAddresses
    ) -> None:
        self._service, self._processes, self._data = service, processes, data
        self._addresses = addresses

    @property
    def is_on(self) -> bool:
        return self._service.runs

    @property
    def is_idle(self) -> bool:
        return not self.is_on or not self._processes.reported()

    def cut(self) -> None:
        """End all processes of the host; its machine stays on, which needs no command of the inventory."""
        self._processes.kill_all()
        self._addresses.keep_only_own()

    def off(self) -> list[psutil.Process]:
        """Switch the machine off; return the local processes that represented its commands.

        Raises:
            FiveninesError: the inventory has no such command, or it failed.
        """
        clients = self._processes.running()
        connection = self._service.connection
        power.run(connection, connection.machine.power_off, "power_off")
        # A machine loses them with its power.
        self._addresses.extra = []
        self._service.disconnect()
        return clients

    def on(self) -> None:
        """Switch the machine on and start the host on it again, with its former files.

        Raises:
            FiveninesError: the inventory has no such command, or the machine did not boot.
        """
        before = self._service.connection
        power.run(before, before.machine.power_on, "power_on")
        connection = power.again(before)
        self._data.moved_to(connection)
        self._service.begin_again(connection)
