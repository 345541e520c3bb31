"""`mysql-9.7`: a root file system with MySQL, Group Replication and MySQL Router.

Debian releases carry no MySQL; its unstable suite does, and moves on. So the version is what the mirror has
on the day of the pull: the receipt keeps it, and the built tree stays in the cache.
"""

from pathlib import Path

from fivenines.lab.lab import remove
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot
from fivenines.software.mariadb_root import MYSQL_ACCOUNT

_UNUSED_PROGRAMS = (
    "perl*",
    "my_print_defaults",
    "perror",
    "myisam*",
    "mysql_tzinfo_to_sql",
    "mysql_config_editor",
    "innochecksum",
    "ibd2sdi",
    "mysql_secure_installation",
    "mysqlshow",
    "mysqlimport",
    "mysqlcheck",
    "mysqlslap",
    "mysql_migrate_keyring",
)
_UNUSED_LIBRARIES = ("libperl*", "perl*", "gconv")
_UNUSED_PLUGINS = ("authentication_*", "telemetry_client.so")


class MysqlRoot(DebianRoot):
    """Hosts overlay it."""

    name = "mysql-9.7"
    description = "MySQL 9.7 with Group Replication and MySQL Router, from Debian unstable's packages"
    family = "mysql"
    series = "9.7"
    suite = "sid"
    packages = ("mysql-server-core", "mysql-client-core", "mysql-router")
    # a mirror that lags has a release file whose time is over
    options = ('--aptopt=Acquire::Check-Valid-Until "false"',)
    accounts = (MYSQL_ACCOUNT,)

    def finish(self, tree: Path, report: Report) -> None:
        for folder, patterns in (
            (tree / "usr/bin", _UNUSED_PROGRAMS),
            (next(tree.glob("usr/lib/*-linux-gnu")), _UNUSED_LIBRARIES),
            (tree / "usr/lib/mysql/plugin", _UNUSED_PLUGINS),
        ):
            for pattern in patterns:
                for path in folder.glob(pattern):
                    remove(path)
