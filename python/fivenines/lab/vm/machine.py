"""The size of a virtual machine, and the paths of its kernel and of our program."""

from dataclasses import dataclass
from pathlib import Path

# Folders inside the namespaces of a virtual machine: of its kernel, and of our program.
KERNEL = Path("/run/uml")
CORE = Path("/run/fivenines")

# Folder inside a virtual machine of the root of its namespaces.
OUTER = Path("/run/machine")


@dataclass(frozen=True)
class Machine:
    """Memory and disk of a virtual machine in bytes, its kernel's folder, and the modules to load."""

    memory: int
    disk: int
    kernel: Path
    modules: tuple[str, ...] = ()
    # Whether the disk is mounted as the data folder. Otherwise other software uses it.
    mounted: bool = True
    # Whether flushes of the disk can be delayed.
    delayed: bool = False

    @property
    def device(self) -> str:
        """Return the device of the disk inside the virtual machine."""
        return "/dev/dm-0" if self.delayed else "/dev/ubda"
