"""What can be done to the disk of a virtual machine: its flushes take longer, its file system is full.

Flushes are delayed by device-mapper in the virtual machine (`fivenines-core virtual machine delay`), so that everybody who uses
the disk waits, a replicated one, too. A file system is full because a file takes all that was free.
"""

from collections.abc import Sequence

from fivenines.errors import FiveninesError
from fivenines.lab.host import NODE
from fivenines.lab.vm import VirtualMachine

_BALLAST = ".fivenines-full"
"""The file, in the data folder, that takes all that was free."""

_FLUSHES = 15
"""The place of finished flushes in /sys/block/*/stat (kernel documentation, "Block layer statistics")."""

_FILL = f"""
cd {NODE / "data"}
mountpoint -q . || {{ echo "it has no file system on its disk now" >&2; exit 1; }}
free() {{ df --output=avail -k . | tail -n 1 | tr -d ' '; }}
# what is asked for at once takes no time; the rest is written, as root, until nothing is left
fallocate --length "$(( $(free) - 4096 ))K" {_BALLAST} 2> /dev/null
dd if=/dev/zero of={_BALLAST} bs=4k oflag=append conv=notrunc 2> /dev/null
[ "$(free)" -lt 64 ] || {{ echo "$(free) kB are still free" >&2; exit 1; }}
"""


class VmDiskFaults:
    """The disk of a virtual machine that was made with `delayed`; see `lab.disk.Disk` for one of a process."""

    def __init__(self, vm: VirtualMachine) -> None:
        self._vm = vm
        self._full = False

    counts_refusals = False

    def wrap(self, command: Sequence[str]) -> list[str]:
        """The command as it is: the disk is changed below it."""
        return list(command)

    def slow(self, seconds: float) -> None:
        """Each flush to disk takes so much longer from now on."""
        self._vm.delay_flushes(seconds)

    def full(self) -> None:
        """From now on no file grows: ENOSPC."""
        self._vm.run(["sh", "-c", _FILL], timeout=60.0)
        self._full = True

    def normal(self) -> None:
        """As it was."""
        if not self._vm.powered:
            # with the power all of it is gone but for files
            return
        if self._full:
            self._vm.run(["rm", "-f", str(NODE / "data" / _BALLAST)])
            self._full = False
        self._vm.delay_flushes(0.0)

    def counts(self) -> tuple[int, int]:
        """How many flushes the disk has done since the virtual machine's start; and 1 where it is full."""
        try:
            told = self._vm.run(["cat", "/sys/block/ubda/stat"], timeout=5.0).split()
        except FiveninesError:
            return 0, int(self._full)
        return int(told[_FLUSHES]), int(self._full)
