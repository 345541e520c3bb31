"""The data directory and the configuration of a MySQL server."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from fivenines.lab.host import Host
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Value, inside
from fivenines.servers.mysql_family.setup import COMMON, DATA_RIGHTS, FOR_MEASURING, SHARED, MysqlFamilySetup
from fivenines.servers.spelled import at_first_start

# Several servers share one machine; with MySQL's defaults each would use twice the memory.
SMALL: dict[str, Value] = {
    "innodb_log_buffer_size": "4M",
    "innodb_redo_log_capacity": "128M",
    "table_open_cache": 400,
    "table_definition_cache": 400,
    "performance_schema_max_table_instances": 500,
    "performance_schema_digests_size": 500,
    "performance_schema_events_statements_history_long_size": 100,
    "performance_schema_events_waits_history_long_size": 100,
    "performance_schema_error_size": 0,
    "performance_schema_max_statement_classes": 250,
    "temptable_max_ram": "16M",
    "key_buffer_size": "1M",
}


class MysqlSetup(MysqlFamilySetup):
    """mysqld --initialize-insecure, and the server's UUID."""

    hashing = "WITH caching_sha2_password "
    section = "mysqld"
    defaults: ClassVar[dict[str, Value]] = {
        **COMMON,
        **SMALL,
        "mysqlx": False,
        "secure_file_priv": "NULL",
        "tmpdir": inside("run"),
    }
    for_measuring: ClassVar[Mapping[str, str]] = {**FOR_MEASURING, **dict.fromkeys(SMALL, SHARED)}

    @property
    def _installed(self) -> Sequence[str]:
        """Return options for the paths of messages and plugins, if they differ from the build."""
        return [f"--{name}={value}" for name, value in self._server.engine.next_to_server().items()]

    def initialise(self) -> None:
        self._server.host.commands.run(
            [
                self._server.engine.program("mysqld"),
                "--no-defaults",
                "--initialize-insecure",
                *self._installed,
                f"--datadir={inside('data')}",
                f"--tmpdir={inside('run')}",
                "--innodb-use-native-aio=0",
                # The data set can be created again, so durability does not matter here.
                "--innodb-flush-method=nosync",
                "--innodb-doublewrite=OFF",
                *at_first_start(self.made_with),
            ],
            uid=self._server.uid,
            timeout=180.0,
        )
        self.make_accounts()

    @property
    def unlogged(self) -> list[str]:
        return ["SET SESSION sql_log_bin = 0"]

    @property
    def rights(self) -> list[str]:
        return [
            # Without CONNECTION_ADMIN, as (super_)read_only would not stop it otherwise.
            f"GRANT {DATA_RIGHTS} ON {DATABASE}.* TO {APPLICATION}@'%'",
            f"GRANT ALL ON *.* TO {REPLICATION}@'%' WITH GRANT OPTION",
        ]

    def configure(self, settings: Mapping[str, Value]) -> None:
        super().configure(settings)
        if self._server.host.data.exists("mysql"):
            # Copies of one data directory must not appear as one server in replication.
            self._server.host.data.write_text(
                "auto.cnf", f"[auto]\nserver-uuid={uuid_of(self._server.host)}\n"
            )


def number_of(host: Host) -> int:
    """Return the id of a server on this host in its network: the last part of the host's address."""
    return int(host.address.rpartition(".")[2])


def uuid_of(host: Host) -> str:
    """Return the UUID of a server on this host, which its own transactions carry."""
    return f"00000000-0000-0000-0000-{number_of(host):012d}"
