"""A host on another machine, over SSH: separate namespaces there, on the machine's network.

A local process represents each command there (`fivenines-core agent run`) and ends with it. Configuration and
secrets are sent before a command starts that can read them; logs arrive here within 0.1 s; data stays there.
"""

from collections.abc import Sequence
from pathlib import Path

from fivenines.lab.host import Host, Root
from fivenines.lab.hosts.place import Elsewhere
from fivenines.lab.ssh import transfer
from fivenines.lab.ssh.connection import Connection
from fivenines.lab.ssh.hosts.addresses import SshAddresses
from fivenines.lab.ssh.hosts.clock import SshClock
from fivenines.lab.ssh.hosts.commands import SshCommands
from fivenines.lab.ssh.hosts.data_folder import RemoteFolder
from fivenines.lab.ssh.hosts.files import SshFiles
from fivenines.lab.ssh.hosts.power import SshPower
from fivenines.lab.ssh.hosts.processes import SshProcesses
from fivenines.lab.ssh.hosts.service import HostService


class SshHost(Host):
    """A machine that is a host.

    Args:
        name: name of the host.
        folder: the host's folder here.
        root: files of the host.
        connection: connection to the machine.
        place: folder there, created at the start and removed at the end.
        silence: seconds without a sign of the controller after which the host ends.
        peers: addresses of all machines that can connect to the host.
        tell: called with progress messages.
    """

    power: SshPower
    clock: SshClock
    files: SshFiles

    def __init__(
        self,
        name: str,
        folder: Path,
        root: Root,
        connection: Connection,
        place: str,
        silence: float,
        peers: Sequence[str],
        tell: transfer.Tell = lambda _: None,
    ) -> None:
        super().__init__(name, str(connection.machine.address), folder, all_ids=True)
        self.peers = tuple(f"{peer}/32" for peer in peers)
        self._service = service = HostService(name, folder, root, connection, place, silence, tell)
        self.commands = commands = SshCommands(service, self.node)
        self.data = data = RemoteFolder(commands.run, connection, f"{place}/node/data", service.data_set)
        self.processes = SshProcesses(service, commands, self.node / "log")
        self.addresses = SshAddresses(service, self.address)
        self.power = SshPower(service, self.processes, data, self.addresses)
        self.files = SshFiles(service, commands, self.node)
        self.clock = SshClock(service)
        self.namespaces = self.port = Elsewhere(f"{name} is on another machine")

    @property
    def connection(self) -> Connection:
        """Return the current connection to the machine."""
        return self._service.connection

    def begin(self) -> None:
        """Send missing files to the machine and start the host.

        Raises:
            FiveninesError: the host cannot start; the message gives the reason.
        """
        self._service.begin()

    def undo(self, name: str, command: Sequence[str], text: str = "") -> None:
        """Register the command that undoes a fault if we end; an empty command removes it."""
        self._service.undo(name, command, text)

    def require_sound(self) -> None:
        """Check that the connection to the host works.

        Raises:
            FiveninesError: the connection was lost, so the measurement is invalid.
        """
        self._service.require()

    def end(self) -> None:
        self._service.end()
        self.files.end()
        self.connection.close()
