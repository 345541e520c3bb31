"""Check whether this machine can run hosts that are virtual machines."""

import shutil
from pathlib import Path

PROGRAMS = "/usr/sbin:/sbin:/usr/bin:/bin"

PORTS = Path("/dev/net/tun")


def problem() -> str:
    """Return why virtual machines cannot run here, and the remedy; empty if they can."""
    if shutil.which("mke2fs", path=PROGRAMS) is None:
        return "mke2fs, which creates their disks, is missing: run `sudo apt-get install e2fsprogs`"
    try:
        PORTS.open("r+b", buffering=0).close()
    except OSError as error:
        return (
            f"{PORTS}, which creates their network ports, cannot be opened ({error.strerror}): run fivenines "
            f"as root, or give your account access (sudo modprobe tun, sudo chmod 666 {PORTS})"
        )
    return ""
