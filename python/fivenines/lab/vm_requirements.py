"""What this machine must offer for hosts that are virtual machines."""

import shutil
from pathlib import Path

PROGRAMS = "/usr/sbin:/sbin:/usr/bin:/bin"

PORTS = Path("/dev/net/tun")


def problem() -> str:
    """Why there can be no virtual machines here, with what to do about it; empty when there can."""
    if shutil.which("mke2fs", path=PROGRAMS) is None:
        return "mke2fs, which makes their disks, is not found: run `apt-get install e2fsprogs` as root"
    try:
        PORTS.open("r+b", buffering=0).close()
    except OSError as error:
        return (
            f"{PORTS}, which makes their network ports, cannot be opened ({error.strerror}): run fivenines "
            f"as root, or let your account open it (sudo chmod 666 {PORTS}, sudo modprobe tun)"
        )
    return ""
