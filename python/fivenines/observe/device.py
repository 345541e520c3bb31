"""The block device below a folder, and what it has been given to write: the machine's own count.

Source: Documentation/admin-guide/iostats.rst of the kernel (field 7: sectors of 512 bytes), proc(5) for
mountinfo. All users of the device are in it: for what one of them wrote it is an upper bound.
"""

import os
from pathlib import Path

_SECTOR = 512
_WRITTEN = 6


class Device:
    """The device that a folder lies on; without one (a file system in memory, of others) it tells nothing."""

    def __init__(self, folder: Path) -> None:
        self._stat = _stat_file(folder)

    def written(self) -> int | None:
        """Bytes written to it so far; None: there is no device, or it cannot be read."""
        if self._stat is None:
            return None
        try:
            return int(self._stat.read_text().split()[_WRITTEN]) * _SECTOR
        except (OSError, IndexError, ValueError):
            return None


def _stat_file(folder: Path) -> Path | None:
    number = folder.stat().st_dev
    if os.major(number) == 0:  # a file system with numbers of its own, as btrfs: its source may be a device
        number = _source(number)
    found = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat")
    return found if number and found.exists() else None


def _source(number: int) -> int:
    """The number of the device that the file system of this number was mounted from; 0: it has none."""
    wanted = f"{os.major(number)}:{os.minor(number)}"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        mount, _, rest = line.partition(" - ")
        source = rest.split()[1:2]
        if mount.split()[2] == wanted and source and source[0].startswith("/dev/"):
            try:
                return os.stat(source[0]).st_rdev  # noqa: PTH116  (a device, no file)
            except OSError:
                return 0
    return 0
