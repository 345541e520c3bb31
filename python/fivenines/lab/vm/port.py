"""Connect a virtual machine to the network of its lab."""

from collections.abc import Sequence

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.network import network
from fivenines.lab.vm.kernel import Kernel, Plug
from fivenines.lab.vm.machine import CORE, OUTER
from fivenines.lab.vm.power import VmPower


class VmPort:
    """The port of a virtual machine, which its kernel creates when it starts.

    Args:
        name: name of the host.
        kernel: its kernel.
        power: its power.
        commands: its commands.
    """

    def __init__(self, name: str, kernel: Kernel, power: VmPower, commands: HostCommands) -> None:
        self._name, self._kernel, self._power, self._commands = name, kernel, power, commands

    def plug_in(self, lab: int, index: int, site: int, bandwidth: int | None) -> None:
        """Connect the virtual machine to its site's bridge as soon as its kernel starts.

        Raises:
            FiveninesError: a bandwidth is given, which virtual machines cannot have.
        """
        if bandwidth is not None:
            raise FiveninesError(f"{self._name}: `bandwidth` cannot be set for virtual machines")
        self._kernel.plug_in(Plug(lab, index, site))

    def ear(self, lab: int) -> tuple[int, str]:
        """Return where to capture frames that reach it: the lab's end of its port."""
        return lab, network.port(self._name)

    def knocking(self, frame: bytes, seconds: float) -> list[str]:
        """Return the command line that sends a frame from it; it sends nothing while it is switched off."""
        if self._power.was_switched_off:
            return ["true"]
        knock = [str(CORE / core_binary().name), "vm", "knock", "--device", network.DEVICE]
        knock = [*_outside(knock), "--frame", frame.hex(), "--seconds", f"{seconds:g}"]
        return self._commands.inside(knock, None)


def _outside(command: Sequence[str]) -> list[str]:
    """Return a command of the host with its path in the virtual machine."""
    return [f"{OUTER}{command[0]}", *command[1:]]
