"""The disk of a virtual machine: an image file with a file system that only the virtual machine mounts."""

from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.lab.disks.data_folder import CommandFolder, DataFolder, copy
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.hosts.power import HostPower
from fivenines.lab.vm.agent import VmAgent
from fivenines.lab.vm.image import DiskImage
from fivenines.lab.vm.machine import CORE, OUTER


class Disk(CommandFolder):
    """A virtual machine's disk: an image with a file system that only the virtual machine can read."""

    def __init__(self, image: DiskImage, commands: HostCommands, power: HostPower, agent: VmAgent) -> None:
        super().__init__(commands.run)
        self.image = image
        self._commands, self._power, self._agent = commands, power, agent

    def fill(self, source: Path | DataFolder) -> None:
        mounted = self._power.is_on
        if mounted:
            self._agent.ask("disk", "unmount")
        if isinstance(source, Disk):
            source.copy_to(self.image.path)
        else:
            assert isinstance(source, Path)
            self.image.make(source)
        if mounted:
            self._agent.ask("disk", "mount")

    def copy_to(self, image: Path) -> None:
        """Copy the image in its current state; the file system is frozen meanwhile."""
        frozen = self._power.is_on
        if frozen:
            self._agent.ask("disk", "freeze")
        try:
            copy(str(self.image.path), image)
        finally:
            if frozen:
                self._agent.ask("disk", "thaw")

    def flush(self) -> None:
        if self._power.is_on:
            self._commands.run(["sync"])

    def delay_flushes(self, seconds: float) -> None:
        """Set the delay of each flush of the disk, in seconds."""
        core = OUTER / CORE.relative_to("/") / core_binary().name
        milliseconds = round(seconds * 1000)
        self._commands.run([str(core), "vm", "delay", f"--milliseconds={milliseconds}"], timeout=30.0)
