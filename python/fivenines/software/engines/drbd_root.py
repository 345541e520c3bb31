"""`drbd`: a root file system with Pacemaker, DRBD's tools and MariaDB, from Debian 12."""

from typing import ClassVar

from fivenines.software.engines.pacemaker_root import PacemakerRoot


class DrbdRoot(PacemakerRoot):
    """The root of nodes. DRBD itself is a module of the kernel of virtual machines (`uml`)."""

    name = "drbd"
    description = "DRBD's tools, Pacemaker 2.1 and MariaDB 10.11, from Debian 12's packages"
    packages: ClassVar[tuple[str, ...]] = (
        *PacemakerRoot.packages,
        "drbd-utils",
        "e2fsprogs",
        "mount",
        "kmod",
        "psmisc",
    )
    version_command = ("drbdadm", "--version")
    version_pattern = r"DRBDADM_VERSION=(\S+)"
