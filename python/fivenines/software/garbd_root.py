"""`garbd`: a small root file system with Galera's arbitrator, for hosts that vote and hold no data.

An engine of its own, as Debian packs the arbitrator apart from the server: whoever runs no arbitrator does
not pull it.
"""

from fivenines.software.debian_root import DebianRoot
from fivenines.software.mariadb_root import MYSQL_ACCOUNT


class GarbdRoot(DebianRoot):
    """Hosts overlay it."""

    name = "garbd"
    description = "Galera's arbitrator (garbd), from Debian 12's packages"
    family = "mariadb"
    packages = ("galera-arbitrator-4",)
    accounts = (MYSQL_ACCOUNT,)
    version_command = ("garbd", "--version")
    version_pattern = r"INFO: (\d+\.\d+)"
