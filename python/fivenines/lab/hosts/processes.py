"""List and signal the processes of a host."""

from abc import ABC, abstractmethod
from pathlib import Path

import psutil

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.process import Process


class HostProcesses(ABC):
    """The processes of a host, as seen from here."""

    @abstractmethod
    def running(self) -> list[psutil.Process]:
        """Return all processes of the host except its first one, as seen from outside."""

    @abstractmethod
    def kill_all(self) -> list[psutil.Process]:
        """Kill all processes of the host except its first one; return the killed processes."""

    def freeze_all(self) -> list[psutil.Process]:
        """Send SIGSTOP to all processes of the host except its first one; return the signalled processes.

        Raises:
            FiveninesError: the host has no such control.
        """
        raise FiveninesError("not all processes of this machine can be frozen")

    def thaw_all(self) -> list[psutil.Process]:
        """Send SIGCONT to all processes of the host except its first one; return the signalled processes.

        Raises:
            FiveninesError: the host has no such control.
        """
        raise FiveninesError("not all processes of this machine can be frozen")

    @abstractmethod
    def adopt(self, program: str, log: Path) -> Process:
        """Return the server of this program, which a supervisor on the host starts and can restart."""

    def reported(self) -> list[tuple[int, str, str, str]] | None:
        """Return its processes from its own /proc: PID, stat, statm and io; None if it is on this machine.

        Raises:
            FiveninesError: the host does not answer.
        """
        return None
