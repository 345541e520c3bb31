"""List and kill the processes of a host on another machine."""

import json
import os
import subprocess
from pathlib import Path

import psutil

from fivenines.lab.hosts.processes import HostProcesses
from fivenines.lab.processes.process import Process, start_logged
from fivenines.lab.processes.tree import children
from fivenines.lab.ssh.hosts.commands import SshCommands
from fivenines.lab.ssh.hosts.process import RemoteAdopted
from fivenines.lab.ssh.hosts.service import HostService


class SshProcesses(HostProcesses):
    """The processes of a host on another machine, and the local processes that represent them.

    Args:
        service: the host there.
        commands: its commands.
        logs: folder of its logs here.
    """

    def __init__(self, service: HostService, commands: SshCommands, logs: Path) -> None:
        self._service, self._commands, self._logs = service, commands, logs

    def running(self) -> list[psutil.Process]:
        """Return the local processes that represent the commands there."""
        processes = []
        for process in children(os.getpid()):
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if words[1:4] == ["agent", "run", f"--at={self._service.at}"] and process.is_running():
                processes.append(process)
        return processes

    def reported(self) -> list[tuple[int, str, str, str]] | None:
        processes: list[tuple[int, str, str, str]] = json.loads(self._service.ask("processes"))
        return processes

    def kill_all(self) -> list[psutil.Process]:
        clients = self.running()
        self._service.ask("kill_all")
        return clients

    def adopt(self, program: str, log: Path) -> Process:
        def attach(seen: Path) -> "subprocess.Popen[bytes]":
            return start_logged([*self._commands.way("inside"), f"--attach={program}"], seen)

        seen = self._logs / f"{program}.pid"
        return RemoteAdopted(attach, lambda: self._service.connection.alive, seen, log)
