"""`mysql-9.7`: a root file system with MySQL, Group Replication and MySQL Router.

Debian releases have no MySQL. The unstable suite has it, but changes, so the mirror determines the version at
the time of the pull. The receipt records the version, and the built tree stays in the cache.
"""

from pathlib import Path

from fivenines.lab.lab import remove
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot
from fivenines.software.engines.mariadb_root import MYSQL_ACCOUNT

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
    """The root of MySQL nodes and routers."""

    name = "mysql-9.7"
    description = "MySQL 9.7 with Group Replication and MySQL Router, from Debian unstable's packages"
    family = "mysql"
    series = "9.7"
    suite = "sid"
    packages = ("mysql-server-core", "mysql-client-core", "mysql-router")
    # A mirror that lags has an expired release file.
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
