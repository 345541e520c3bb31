"""Inject faults into the disk of a virtual machine: delay its flushes, fill its file system.

Device-mapper in the virtual machine delays flushes (`fivenines-core vm delay`), so every user of the disk
waits, including a replicated disk. A file that takes all free space fills the file system.
"""

from collections.abc import Sequence

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import NODE
from fivenines.lab.vm.host import VirtualMachine

# File in the data folder that takes all free space.
_BALLAST = ".fivenines-full"

# Index of the finished flushes in /sys/block/*/stat (kernel documentation, "Block layer statistics").
_FLUSHES = 15

_FILL = f"""
cd {NODE / "data"}
mountpoint -q . || {{ echo "no file system is mounted on its disk" >&2; exit 1; }}
free() {{ df --output=avail -k . | tail -n 1 | tr -d ' '; }}
# fallocate takes no time; root then writes the rest until no space is left
fallocate --length "$(( $(free) - 4096 ))K" {_BALLAST} 2> /dev/null
dd if=/dev/zero of={_BALLAST} bs=4k oflag=append conv=notrunc 2> /dev/null
[ "$(free)" -lt 64 ] || {{ echo "$(free) kB are still free" >&2; exit 1; }}
"""


class VmDiskFaults:
    """Faults of a virtual machine's disk with `delayed`; see `lab.disks.disk.Disk` for namespaces."""

    def __init__(self, vm: VirtualMachine) -> None:
        self._vm = vm
        self._full = False

    counts_refusals = False

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return the command unchanged: the faults act below it."""
        return list(command)

    def slow(self, seconds: float) -> None:
        """Delay each flush by `seconds` from now on."""
        self._vm.disk.delay_flushes(seconds)

    def full(self) -> None:
        """Fill the file system, so that no file can grow (ENOSPC)."""
        self._vm.commands.run(["sh", "-c", _FILL], timeout=60.0)
        self._full = True

    def normal(self) -> None:
        """End all disk faults."""
        if not self._vm.power.is_on:
            # A power loss ends all faults except for files.
            return
        if self._full:
            self._vm.commands.run(["rm", "-f", str(NODE / "data" / _BALLAST)])
            self._full = False
        self._vm.disk.delay_flushes(0.0)

    def counts(self) -> tuple[int, int]:
        """Return the number of flushes since the virtual machine's start, and 1 while the disk is full."""
        try:
            statistics = self._vm.commands.run(["cat", "/sys/block/ubda/stat"], timeout=5.0).split()
        except FiveninesError:
            return 0, int(self._full)
        return int(statistics[_FLUSHES]), int(self._full)
