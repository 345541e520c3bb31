"""Commands in virtual machines, each represented by a local process (`fivenines-core agent run`)."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from fivenines.lab.processes import look
from fivenines.lab.processes.process import Process


class VmProcess(Process):
    """A command in a virtual machine. SIGKILL and SIGSTOP are passed on as other signals, see `agent run`."""

    def send(self, process: psutil.Process, number: signal.Signals) -> None:
        passed = {signal.SIGKILL: signal.SIGRTMIN, signal.SIGSTOP: signal.SIGTSTP}
        look.send(process, passed.get(number, number))


class AttachedProcess(VmProcess):
    """A server that a supervisor in a virtual machine starts and can restart.

    Each start gets a new local process.

    Args:
        attach: starts the local process, which writes into a file once it has seen the server.
        powered: whether the virtual machine's kernel runs.
        seen: that file.
        log: log file of the server.
    """

    def __init__(
        self,
        attach: Callable[[Path], "subprocess.Popen[bytes]"],
        powered: Callable[[], bool],
        seen: Path,
        log: Path,
    ) -> None:
        self._start, self._powered, self._seen = attach, powered, seen
        self._attach()
        self.log = log
        self.frozen = False

    def _attach(self) -> None:
        self._seen.write_text("")
        self._began = time.monotonic()
        self.popen = self._start(self._seen)

    @property
    def alive(self) -> bool:
        if super().alive:
            return self._seen.stat().st_size > 0
        # The stopped server has ended; a running server is a new one.
        self.frozen = False
        if self._powered() and time.monotonic() - self._began > _AGAIN:
            self._attach()
        return False

    def members(self) -> list[psutil.Process]:
        return super().members() if self.alive else []

    def wait(self, timeout: float) -> bool:
        return self.gone(self.members(), timeout)


# Seconds between two checks for a server that a supervisor starts.
_AGAIN = 0.1
