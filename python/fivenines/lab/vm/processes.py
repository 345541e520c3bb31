"""List and kill the processes in a virtual machine."""

import contextlib
from pathlib import Path

import psutil

from fivenines.lab.hosts.place import HostNamespaces
from fivenines.lab.namespaces.processes import NamespaceProcesses
from fivenines.lab.processes.process import Process
from fivenines.lab.vm.agent import VmAgent
from fivenines.lab.vm.power import VmPower
from fivenines.lab.vm.process import AttachedProcess


class VmProcesses(NamespaceProcesses):
    """The processes of a virtual machine: its kernel, and the local processes that represent commands.

    Args:
        namespaces: the namespaces that the kernel runs in.
        agent: the first process of the virtual machine.
        power: its power.
        logs: folder of its logs.
    """

    def __init__(self, namespaces: HostNamespaces, agent: VmAgent, power: VmPower, logs: Path) -> None:
        super().__init__(namespaces)
        self._agent, self._power, self._logs = agent, power, logs

    def kill_all(self) -> list[psutil.Process]:
        """Kill all processes in it, but not its kernel; return the local processes that represent them."""
        if not self._power.is_on:
            return []
        clients = [process for process in self.running() if _is_client(process)]
        self._agent.ask("kill-all")
        return clients

    def adopt(self, program: str, log: Path) -> Process:
        return AttachedProcess(
            lambda seen: self._agent.attach(program, seen),
            lambda: self._power.is_on,
            self._logs / f"{program}.pid",
            log,
        )


def _is_client(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.cmdline()[1:3] == ["agent", "run"]
    return False
