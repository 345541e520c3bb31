"""Send requests and commands to the first process of a virtual machine, `fivenines-core vm agent`.

Each command inside is represented here by one process (`fivenines-core agent run`), which ends with the
command.
"""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.processes.process import start_logged

# Permitted error of a virtual machine's clock in seconds, and the number of attempts to set it.
_CLOCK, _TRIES = 0.003, 10


class VmAgent:
    """The first process of a virtual machine, which must run.

    Args:
        name: name of the host, for messages.
        outer: commands of the namespaces that the virtual machine is in.
    """

    def __init__(self, name: str, outer: HostCommands) -> None:
        self._name, self._outer = name, outer

    def client(self, command: Sequence[str], uid: int | None) -> list[str]:
        """Return the command line of the local process that represents a command in the virtual machine."""
        user = [] if uid is None else [f"--uid={uid}"]
        return self._outer.outside([str(core_binary()), "agent", "run", *user, "--", *command])

    def attach(self, program: str, seen: Path) -> "subprocess.Popen[bytes]":
        """Start the local process of a supervised program; it writes to `seen` once the program runs."""
        command = self._outer.outside([str(core_binary()), "agent", "run", f"--attach={program}"])
        return start_logged(command, seen, env={"PATH": "/usr/bin:/bin"})

    def ask(self, *question: str) -> str:
        """Send a request to its first process and return the answer, see `fivenines-core agent ask`.

        Raises:
            FiveninesError: the request failed; the message gives the reason.
        """
        command = self._outer.outside([str(core_binary()), "agent", "ask", *question])
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60.0)
        if done.returncode != 0:
            raise FiveninesError(f"{self._name}: {done.stderr.strip()}")
        return done.stdout.strip()

    def clock_error(self) -> float:
        """Return its wall clock minus ours, in seconds; the error is at most half of the answer's time."""
        before = time.time_ns()
        clock = int(self.ask("clock"))
        return (clock - (before + time.time_ns()) / 2) / 1e9

    def set_clock(self) -> None:
        """Set its clock to ours: the kernel's own clock is inaccurate after the start."""
        for _ in range(_TRIES):
            self.ask("set-clock")
            if abs(self.clock_error()) < _CLOCK:
                return

    def disk_delay(self) -> float:
        """Return the longest response time of its disk since the start, in seconds."""
        return float(self.ask("disk-delay"))
