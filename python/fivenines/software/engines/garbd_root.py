"""`garbd`: a small root file system with Galera's arbitrator, for hosts that vote but store no data.

A separate engine, as Debian has a separate package for the arbitrator: only clusters with an arbitrator
need it.
"""

from fivenines.software.debian_root import DebianRoot
from fivenines.software.engines.mariadb_root import MYSQL_ACCOUNT


class GarbdRoot(DebianRoot):
    """The root of arbitrator hosts."""

    name = "garbd"
    description = "Galera's arbitrator (garbd), from Debian 12's packages"
    family = "mariadb"
    packages = ("galera-arbitrator-4",)
    accounts = (MYSQL_ACCOUNT,)
    version_command = ("garbd", "--version")
    version_pattern = r"INFO: (\d+\.\d+)"
