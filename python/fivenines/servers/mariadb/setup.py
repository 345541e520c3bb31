"""The data directory and the configuration of a MariaDB server."""

from collections.abc import Mapping
from typing import ClassVar

from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Value, inside
from fivenines.servers.mysql_family.setup import COMMON, DATA_RIGHTS, FOR_MEASURING, SHARED, MysqlFamilySetup
from fivenines.servers.spelled import at_first_start

_FILES = "files"


class MariadbSetup(MysqlFamilySetup):
    """mariadb-install-db."""

    section = "mariadbd"
    defaults: ClassVar[dict[str, Value]] = {
        **COMMON,
        "innodb_log_file_size": "64M",
        "binlog_format": "ROW",
        # An empty folder: no statement reads or writes a file elsewhere.
        "secure_file_priv": inside(_FILES),
    }
    for_measuring: ClassVar[Mapping[str, str]] = {**FOR_MEASURING, "innodb_log_file_size": SHARED}

    def initialise(self) -> None:
        self._server.host.commands.run(
            [
                self._server.engine.program("mariadb-install-db"),
                "--no-defaults",
                f"--datadir={inside('data')}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                # There are no names to resolve in the lab.
                "--force",
                "--innodb-log-file-size=64M",
                "--innodb-use-native-aio=0",
                *at_first_start(self.made_with),
            ],
            uid=self._server.uid,
        )
        self.make_accounts()

    def configure(self, settings: Mapping[str, Value]) -> None:
        (self._server.host.node / _FILES).mkdir(exist_ok=True)
        super().configure(settings)

    @property
    def unlogged(self) -> list[str]:
        return ["SET SESSION sql_log_bin = 0", "SET SESSION wsrep_on = OFF"]

    @property
    def rights(self) -> list[str]:
        return [
            # Without READ_ONLY ADMIN, as read_only would not stop it otherwise.
            f"GRANT {DATA_RIGHTS} ON {DATABASE}.* TO {APPLICATION}@'%'",
            f"GRANT ALL ON *.* TO {REPLICATION}@'%'",
            # The installation also creates these root accounts, without passwords.
            *(f"DROP USER IF EXISTS root@'{host}'" for host in ("127.0.0.1", "::1", self._server.host.name)),
        ]
