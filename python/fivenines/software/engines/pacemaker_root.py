"""`pacemaker-2.1`: a root file system with MariaDB and Debian 12's cluster stack."""

from pathlib import Path
from typing import ClassVar

from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot
from fivenines.software.engines.mariadb_root import MYSQL_ACCOUNT

# Pacemaker, its command line tools, the messaging layer, and the agents that start and stop services.
CLUSTER = ("pacemaker", "pacemaker-cli-utils", "corosync", "resource-agents")

# User of most of Pacemaker's processes.
DAEMON = ("hacluster", 998)

# Group of that user; Pacemaker accepts connections from its members.
GROUP = "haclient"


class PacemakerRoot(DebianRoot):
    """The root of nodes. Its MariaDB is that of `mariadb-10.11`, as both come from the same release."""

    name = "pacemaker-2.1"
    description = "Pacemaker 2.1, Corosync 3.1 and MariaDB 10.11, from Debian 12's packages"
    family = "mariadb"
    packages: ClassVar[tuple[str, ...]] = ("mariadb-server", *CLUSTER)
    accounts = (MYSQL_ACCOUNT, DAEMON)
    version_command = ("pacemakerd", "--version")
    version_pattern = r"Pacemaker (\S+)"

    def finish(self, tree: Path, report: Report) -> None:
        name, number = DAEMON
        groups = tree / "etc/group"
        groups.write_text(groups.read_text().replace(f"{name}:x:{number}:", f"{GROUP}:x:{number}:{name}"))
