"""`mariadb-10.11`: a root file system with MariaDB, Galera, mariadb-backup and HAProxy."""

from fivenines.software.debian_root import DebianRoot

# The server, and the programs that Galera's state transfer scripts call.
MARIADB = ("mariadb-server", "galera-4", "mariadb-backup", "rsync", "socat", "lsof")

MYSQL_ACCOUNT = ("mysql", 999)


class MariadbRoot(DebianRoot):
    """The root of MariaDB nodes and proxies."""

    name = "mariadb-10.11"
    description = "MariaDB 10.11 with Galera, mariadb-backup and HAProxy, from Debian 12's packages"
    family = "mariadb"
    packages = (*MARIADB, "haproxy")
    accounts = (MYSQL_ACCOUNT,)
