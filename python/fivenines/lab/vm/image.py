"""The image file of a virtual machine's disk, while the virtual machine does not use it."""

import shutil
import subprocess
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import copy
from fivenines.lab.vm.requirements import PROGRAMS

# Folder of the disk images in the host's folder.
DISKS = "disk"

_MKE2FS = shutil.which("mke2fs", path=PROGRAMS) or "mke2fs"

_AT_ONCE = "lazy_itable_init=1,lazy_journal_init=1"


class DiskImage:
    """An image with a file system.

    Args:
        name: name of the host, for messages.
        path: the image file.
        size: its size in bytes.
    """

    def __init__(self, name: str, path: Path, size: int) -> None:
        self._name, self._size = name, size
        self.path = path

    def make(self, source: Path | None, left: int = 0) -> None:
        """Create the file system with a copy of a folder, while the virtual machine does not use it.

        The last `left` bytes of the image stay unused by the file system.
        """
        with self.path.open("r+b" if self.path.exists() else "wb") as file:
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
                str(self.path),
                f"{(self._size - left) // 1024}k",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise FiveninesError(
                f"{self._name}: mke2fs could not create its disk: {done.stderr.strip()[-300:]}"
            )

    def take(self, other: "DiskImage") -> None:
        """Replace the image with a copy of another virtual machine's disk; neither is in use."""
        copy(str(other.path), self.path)
