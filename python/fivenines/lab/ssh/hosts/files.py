"""Exchange files with a host on another machine."""

from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.lab.host import NODE
from fivenines.lab.hosts.files import HostFiles
from fivenines.lab.processes.process import Process, start_logged
from fivenines.lab.ssh.hosts.commands import SshCommands
from fivenines.lab.ssh.hosts.process import RemoteProcess
from fivenines.lab.ssh.hosts.service import HostService


class SshFiles(HostFiles):
    """The files of a host on another machine.

    Args:
        service: the host there.
        commands: its commands.
        node: its folder here.
    """

    def __init__(self, service: HostService, commands: SshCommands, node: Path) -> None:
        super().__init__(node, all_ids=True)
        self._service, self._commands = service, commands
        # Path there of each folder that was lent.
        self._lent: dict[Path, str] = {}
        self._relays: list[Process] = []

    def lend(self, folder: Path) -> None:
        self._lent[folder] = self._commands.lend(folder)
        self._service.connection.need(["mkdir", "-p", self._lent[folder]])

    def put(self, file: Path, text: str) -> None:
        (there,) = self._commands.there(str(file))
        script = 'cat > "$1.part" && mv "$1.part" "$1"'
        self._service.connection.need(["sh", "-c", script, "sh", there], stdin=text)

    def bring_back(self, folder: Path) -> None:
        there = self._lent[folder]
        reads = ["tar", "--create", f"--directory={there}", "--file=-", "."]
        writes = ["tar", "--extract", "--no-same-owner", f"--directory={folder}", "--file=-"]
        self._service.connection.fetch(reads, writes, 3600.0)

    def own(self, *parts: str, uid: int) -> None:
        self._commands.take_over()
        self._service.ask({"own": {"folders": list(parts), "uid": uid}})

    def show_socket(self, name: str) -> None:
        folder = self._node / "run"
        relay = [str(core_binary()), "agent", "relay", f"--at={self._service.at}", f"--folder={folder}"]
        log = self._node.parent / "relay.log"
        started = start_logged([*relay, f"--name={name}", f"--inside={NODE / 'run'}"], log)
        self._relays.append(RemoteProcess(started, log))

    def end(self) -> None:
        """End the relays of sockets."""
        for relay in self._relays:
            relay.popen.kill()
            relay.popen.wait()
        self._relays = []
