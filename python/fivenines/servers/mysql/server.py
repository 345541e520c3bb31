"""A MySQL server."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import ClassVar

from fivenines.base.drivers import pymysql
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Value, inside
from fivenines.servers.counters import CounterReader
from fivenines.servers.mysql import counters
from fivenines.servers.mysql.group import MEMBERS, POSITION, Group, group_of
from fivenines.servers.mysql.lag import MysqlLag
from fivenines.servers.mysql_family.checksums import MysqlFamilyDialect
from fivenines.servers.mysql_family.roles import MysqlFamilyRoles, counted
from fivenines.servers.mysql_family.server import COMMON, DATA_RIGHTS, MysqlFamily
from fivenines.servers.roles import Company
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


_CONNECTED = "SELECT COUNT(*) FROM performance_schema.threads WHERE PROCESSLIST_COMMAND LIKE 'Binlog Dump%'"
_ACKNOWLEDGING = counted(
    "performance_schema.global_status", "Rpl_semi_sync_source_clients", "Rpl_semi_sync_source_status"
)


class Mysql(MysqlFamily):
    """MySQL 8.4 or newer."""

    server_program = "mysqld"
    client_program = "mysql"
    hashing = "WITH caching_sha2_password "
    section = "mysqld"
    defaults: ClassVar[dict[str, Value]] = {
        **COMMON,
        **SMALL,
        "mysqlx": False,
        "secure_file_priv": "NULL",
        "tmpdir": inside("run"),
    }
    unsafe_settings = {  # noqa: RUF012
        "innodb_flush_log_at_trx_commit": 0,
        "innodb_doublewrite": "OFF",
        # Loading must not appear in the history: no node may need transactions from it.
        "disable-log-bin": True,
    }

    @property
    def installed(self) -> Sequence[str]:
        """Return options for the paths of messages and plugins, if they differ from the build."""
        return [f"--{name}={value}" for name, value in self.engine.next_to_server().items()]

    def counters(self) -> CounterReader:
        return counters.read

    def lag(self) -> MysqlLag:
        return MysqlLag(self.name)

    def sources(self) -> dict[str, str]:
        rows = self.query(
            "SELECT VARIABLE_NAME, VARIABLE_SOURCE, SET_TIME, SET_USER, VARIABLE_PATH "
            "FROM performance_schema.variables_info WHERE VARIABLE_SOURCE NOT IN ('COMPILED', 'EXPLICIT')"
        )
        words = {
            "DYNAMIC": "it was set while the server ran, at {time} by {user}",
            "PERSISTED": "SET PERSIST has it in {path}",
            "COMMAND_LINE": "the command line of the server sets it",
        }
        return {
            str(name).lower(): words.get(str(source), "it comes from {path}").format(
                time=when, user=who or "the server", path=where or source
            )
            for name, source, when, who, where in rows
        }

    def role_reader(self, company: Company | None) -> MysqlFamilyRoles:
        awaited = company is not None and company.awaited
        standbys = _ACKNOWLEDGING if awaited else _CONNECTED
        return MysqlFamilyRoles(company, standbys)

    def dialect(self) -> MysqlFamilyDialect:
        # MySQL 9.6 moved MD5 to a component.
        return MysqlFamilyDialect("SHA2({}, 256)")

    def initialise(self) -> None:
        self.host.run(
            [
                self.engine.program(self.server_program),
                "--no-defaults",
                "--initialize-insecure",
                *self.installed,
                f"--datadir={inside('data')}",
                f"--tmpdir={inside('run')}",
                "--innodb-use-native-aio=0",
                # The data set can be created again, so durability does not matter here.
                "--innodb-flush-method=nosync",
                "--innodb-doublewrite=OFF",
                *at_first_start(self.made_with),
            ],
            uid=self.uid,
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

    def command(self, *arguments: str) -> list[str]:
        # After a clone it exits with 16 for a restart, if its parent has this PID: the parent is in another
        # PID namespace, and so 0 (MySQL manual, "RESTART Statement").
        return ["env", "MYSQLD_PARENT_PID=0", *super().command(*arguments)]

    def configure(self, settings: Mapping[str, Value]) -> None:
        super().configure(settings)
        if self.host.data.exists("mysql"):
            # Copies of one data directory must not appear as one server in replication.
            self.host.data.write_text("auto.cnf", f"[auto]\nserver-uuid={self.uuid}\n")

    @property
    def number(self) -> int:
        """Return the server's id in its network: the last part of its host's address."""
        return int(self.host.address.rpartition(".")[2])

    @property
    def uuid(self) -> str:
        """Return the server's UUID, which its own transactions carry."""
        return f"00000000-0000-0000-0000-{self.number:012d}"

    def statement_limit(self, seconds: float) -> str:
        # It ends SELECT only (MySQL manual, max_execution_time).
        return f"SET SESSION max_execution_time = {round(seconds * 1000)}"

    def group(self) -> Group | None:
        """Return the group as this server sees it; None without an answer."""
        with contextlib.suppress(pymysql.Error):
            return group_of(self.query(MEMBERS))
        return None

    def position(self) -> str:
        """Return the GTIDs that it has executed, or certified and not applied yet."""
        ((gtids,),) = self.query(POSITION)
        return str(gtids)
