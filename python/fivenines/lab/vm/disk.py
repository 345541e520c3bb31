"""The disk of a virtual machine: an image file with a file system that only the virtual machine mounts."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import CommandFolder, DataFolder, copy
from fivenines.lab.vm.requirements import PROGRAMS

# Folder of the disk images in the host's folder.
DISKS = "disk"


class Owner(Protocol):
    """The virtual machine, as far as its disk uses it."""

    name: str
    node: Path

    @property
    def powered(self) -> bool:
        """Whether its kernel runs."""

    def run(self, command: Sequence[str], *, stdin: str = "") -> str:
        """Run a command in the virtual machine to its end and return its standard output."""

    def ask(self, *question: str) -> str:
        """Send a request to its first process and return the answer."""


class Disk(CommandFolder):
    """A virtual machine's disk: an image with a file system that only the virtual machine can read."""

    def __init__(self, vm: Owner, size: int) -> None:
        super().__init__(vm.run)
        self._vm, self._size = vm, size
        self.image = vm.node / DISKS / "data.img"

    def fill(self, source: Path | DataFolder) -> None:
        mounted = self._vm.powered
        if mounted:
            self._vm.ask("disk", "unmount")
        if isinstance(source, Disk):
            source.copy_to(self.image)
        else:
            assert isinstance(source, Path)
            self.make(source)
        if mounted:
            self._vm.ask("disk", "mount")

    def make(self, source: Path | None, left: int = 0) -> None:
        """Create the file system with a copy of a folder, while the virtual machine does not use it.

        The last `left` bytes of the image stay unused by the file system.
        """
        with self.image.open("r+b" if self.image.exists() else "wb") as file:
            file.truncate(0)
            file.truncate(self._size)
        filled = ["-d", str(source)] if source is not None else []
        done = subprocess.run(
            [
                _MKE2FS,
                "-q",
                "-F",
                "-t",
                "ext4",
                "-m",
                "0",
                "-E",
                _AT_ONCE,
                *filled,
                str(self.image),
                f"{(self._size - left) // 1024}k",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise FiveninesError(
                f"{self._vm.name}: mke2fs could not create its disk: {done.stderr.strip()[-300:]}"
            )

    def take(self, other: "Disk") -> None:
        """Replace the image with a copy of another virtual machine's disk; neither is in use."""
        copy(str(other.image), self.image)

    def copy_to(self, image: Path) -> None:
        """Copy the image in its current state; the file system is frozen meanwhile."""
        frozen = self._vm.powered
        if frozen:
            self._vm.ask("disk", "freeze")
        try:
            copy(str(self.image), image)
        finally:
            if frozen:
                self._vm.ask("disk", "thaw")

    def flush(self) -> None:
        if self._vm.powered:
            self._vm.run(["sync"])


_MKE2FS = shutil.which("mke2fs", path=PROGRAMS) or "mke2fs"

_AT_ONCE = "lazy_itable_init=1,lazy_journal_init=1"
