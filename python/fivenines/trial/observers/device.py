"""Count the bytes written to the block device below a folder, from the kernel's statistics.

Source: Documentation/admin-guide/iostats.rst of the kernel (field 7: sectors of 512 bytes), proc(5) for
mountinfo. The count includes all users of the device, so it is an upper bound for each of them.
"""

import os
from pathlib import Path

_SECTOR = 512
_WRITTEN = 6


class Device:
    """The block device of a folder; a file system without a device, such as tmpfs, has no count."""

    def __init__(self, folder: Path) -> None:
        self._stat = _stat_file(folder)

    def written(self) -> int | None:
        """Return the number of bytes written to the device; None: no device, or not readable."""
        if self._stat is None:
            return None
        try:
            return int(self._stat.read_text().split()[_WRITTEN]) * _SECTOR
        except (OSError, IndexError, ValueError):
            return None


def _stat_file(folder: Path) -> Path | None:
    number = folder.stat().st_dev
    if (
        os.major(number) == 0
    ):  # File systems such as btrfs have virtual numbers; their source can be a device.
        number = _source(number)
    file = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat")
    return file if number and file.exists() else None


def _source(number: int) -> int:
    """Return the number of the device from which this file system was mounted; 0: no device."""
    mounted = f"{os.major(number)}:{os.minor(number)}"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        mount, _, rest = line.partition(" - ")
        source = rest.split()[1:2]
        if mount.split()[2] == mounted and source and source[0].startswith("/dev/"):
            try:
                return os.stat(source[0]).st_rdev  # noqa: PTH116  (a device, not a file)
            except OSError:
                return 0
    return 0
