"""Commands in virtual machines, as their ends out here (`fivenines-core agent run`)."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from fivenines.lab import look
from fivenines.lab.process import Process


class VmProcess(Process):
    """A command in a virtual machine, as its end out here. Two signals are asked for by others, see `agent run`."""

    def send(self, process: psutil.Process, number: signal.Signals) -> None:
        passed = {signal.SIGKILL: signal.SIGRTMIN, signal.SIGSTOP: signal.SIGTSTP}
        look.send(process, passed.get(number, number))


class AttachedProcess(VmProcess):
    """A server that others start in a virtual machine, and may start again: its end out here is made anew each time.

    Args:
        attach: starts that end, which says in a file when it has seen the server.
        powered: whether the virtual machine's kernel runs.
        said: the file.
        log: where the server writes.
    """

    def __init__(
        self,
        attach: Callable[[Path], "subprocess.Popen[bytes]"],
        powered: Callable[[], bool],
        said: Path,
        log: Path,
    ) -> None:
        self._start, self._powered, self._said = attach, powered, said
        self._attach()
        self.log = log
        self.frozen = False

    def _attach(self) -> None:
        self._said.write_text("")
        self._began = time.monotonic()
        self.popen = self._start(self._said)

    @property
    def alive(self) -> bool:
        if super().alive:
            return self._said.stat().st_size > 0
        # who was stopped is gone: it is another, if there is one
        self.frozen = False
        if self._powered() and time.monotonic() - self._began > _AGAIN:
            self._attach()
        return False

    def members(self) -> list[psutil.Process]:
        return super().members() if self.alive else []

    def wait(self, timeout: float) -> bool:
        return self.gone(self.members(), timeout)


_AGAIN = 0.1
"""Seconds between two looks for a server that somebody else starts."""
