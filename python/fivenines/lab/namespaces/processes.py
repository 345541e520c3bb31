"""List and signal the processes in the namespaces of a host."""

import signal
from pathlib import Path

import psutil

from fivenines.base.listing import until_none_is_new
from fivenines.lab.hosts.place import HostNamespaces
from fivenines.lab.hosts.processes import HostProcesses
from fivenines.lab.processes import look
from fivenines.lab.processes.orphans import pid_namespace
from fivenines.lab.processes.process import Adopted, Process


class NamespaceProcesses(HostProcesses):
    """The processes of a host that is namespaces, as the members of its PID namespace."""

    def __init__(self, namespaces: HostNamespaces) -> None:
        self._namespaces = namespaces

    def running(self) -> list[psutil.Process]:
        first = self._namespaces.pid
        own = pid_namespace(first)
        others = [process for process in psutil.process_iter() if process.pid != first]
        return [process for process in others if own and pid_namespace(process.pid) == own]

    def kill_all(self) -> list[psutil.Process]:
        return self._signal_all(signal.SIGKILL)

    def freeze_all(self) -> list[psutil.Process]:
        return self._signal_all(signal.SIGSTOP)

    def thaw_all(self) -> list[psutil.Process]:
        return self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> list[psutil.Process]:
        signalled = []
        for process in until_none_is_new(self.running):
            look.send(process, number)
            signalled.append(process)
        return signalled

    def adopt(self, program: str, log: Path) -> Process:
        def find() -> list[psutil.Process]:
            return [process for process in self.running() if _name(process) == program]

        return Adopted(find, log)


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""
