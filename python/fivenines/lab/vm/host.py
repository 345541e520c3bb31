"""A host that is a virtual machine: a separate kernel, in user mode, with a disk that survives a power loss.

The kernel runs inside the usual namespaces of a host, and its hostfs mounts their files as its root. Control
traffic uses a private network port, never the network under test.
"""

from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import copy
from fivenines.lab.host import NODE, Root
from fivenines.lab.limits import HostGroup
from fivenines.lab.namespaces.commands import NamespaceCommands
from fivenines.lab.namespaces.host import NamespaceHost
from fivenines.lab.namespaces.processes import NamespaceProcesses
from fivenines.lab.vm.addresses import VmAddresses
from fivenines.lab.vm.agent import VmAgent
from fivenines.lab.vm.commands import VmCommands
from fivenines.lab.vm.disk import Disk
from fivenines.lab.vm.files import VmFiles
from fivenines.lab.vm.image import DISKS, DiskImage
from fivenines.lab.vm.kernel import Kernel
from fivenines.lab.vm.machine import CORE, KERNEL, OUTER, Machine
from fivenines.lab.vm.port import VmPort
from fivenines.lab.vm.power import VmPower
from fivenines.lab.vm.processes import VmProcesses

# A disk that does not answer for this many seconds hangs.
_HUNG = 5.0


class VirtualMachine(NamespaceHost):
    """A virtual machine. Its kernel starts with the first command, so that the disk can be created before.

    Args:
        machine: its size and kernel; for the other arguments see `NamespaceHost`.
    """

    shared = OUTER / NODE.relative_to("/")

    power: VmPower

    def __init__(
        self, name: str, address: str, folder: Path, root: Root, group: HostGroup, machine: Machine
    ) -> None:
        self._core = folder / "core"
        mounts = {machine.kernel: KERNEL, self._core: CORE}
        super().__init__(name, address, folder, root, group, all_ids=True, mounts=mounts)
        self.machine = machine
        logs, namespaces = self.node / "log", self.namespaces
        (self.node / DISKS).mkdir()
        image = DiskImage(name, self.node / DISKS / "data.img", machine.disk)
        outer = NamespaceCommands(name, logs, namespaces, group, all_ids=True)
        self.agent = VmAgent(name, outer)
        self.kernel = Kernel(name, address, self.node, machine, image, namespaces, group, self.agent)
        self.power = VmPower(name, self.kernel, NamespaceProcesses(namespaces))
        self.commands = VmCommands(name, logs, group, outer, self.agent, self.power)
        self.processes = VmProcesses(namespaces, self.agent, self.power, logs)
        self.files = VmFiles(self.node, self.commands, self.agent, self.power)
        self.addresses = VmAddresses(address, self.commands, self.power)
        self.port = VmPort(name, self.kernel, self.power, self.commands)
        self.data = self.disk = Disk(image, self.commands, self.power, self.agent)

    def start(self, lab: int) -> None:
        # Only our program, not the other files in its folder.
        self._core.mkdir(exist_ok=True)
        copy(str(core_binary()), self._core)
        super().start(lab)

    def require_sound(self) -> None:
        """Check that its disk has worked until now: a hanging disk would look like a slow server.

        Raises:
            FiveninesError: the disk did not answer, so the measurement is invalid.
        """
        if self.power.is_on and (seconds := self.agent.disk_delay()) > _HUNG:
            raise FiveninesError(
                f"{self.name}: the disk of the virtual machine did not answer for {seconds:.1f} s. The "
                "measurement is invalid, as no server caused this delay"
            )

    def end(self) -> None:
        super().end()
        self.kernel.await_end()
