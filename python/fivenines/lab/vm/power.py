"""Switch a virtual machine on and off."""

import threading
from collections.abc import Callable

import psutil

from fivenines.base.errors import FiveninesError
from fivenines.lab.hosts.power import HostPower
from fivenines.lab.hosts.processes import HostProcesses
from fivenines.lab.vm.kernel import Kernel


class VmPower(HostPower):
    """The power of a virtual machine, whose kernel starts with the first command.

    Args:
        name: name of the host.
        kernel: its kernel.
        outer: processes of the namespaces that the kernel runs in.
    """

    def __init__(self, name: str, kernel: Kernel, outer: HostProcesses) -> None:
        self._name, self._kernel, self._outer = name, kernel, outer
        self._booting = threading.Lock()
        # Called after each start of the kernel.
        self.after_boot: list[Callable[[], None]] = []

    @property
    def is_on(self) -> bool:
        """Whether its kernel runs."""
        return self._kernel.runs

    @property
    def was_switched_off(self) -> bool:
        """Whether its kernel has run and ended."""
        return self._kernel.started and not self._kernel.runs

    def on(self) -> None:
        """Start its kernel unless it runs; return when it accepts commands.

        Raises:
            FiveninesError: it did not start; the message has its last lines.
        """
        with self._booting:
            if not self.is_on:
                self._kernel.boot()
                for call in self.after_boot:
                    call()

    def off(self) -> list[psutil.Process]:
        """Switch it off: data that its kernel has not yet written to the disk is lost."""
        killed = self._outer.kill_all()
        self._kernel.await_end()
        # The last of the kernel's threads releases the network port.
        psutil.wait_procs(killed, timeout=10.0)
        return killed

    def require(self) -> None:
        """Start the virtual machine on first use.

        Raises:
            FiveninesError: it was switched off since, or did not start.
        """
        if not self._kernel.started:
            self.on()
        if not self.is_on:
            raise FiveninesError(f"{self._name} is switched off")
