"""A MySQL server."""

import contextlib

from fivenines.base.drivers import pymysql
from fivenines.lab.host import Host
from fivenines.servers.mysql.group import MEMBERS, POSITION, Group, group_of
from fivenines.servers.mysql.introspection import mysql_introspection
from fivenines.servers.mysql.monitoring import MysqlMonitoring
from fivenines.servers.mysql.setup import MysqlSetup, number_of, uuid_of
from fivenines.servers.mysql_family.console import MysqlFamilyConsole
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.mysql_family.sql import LocalMysqlFamilySql
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine


class Mysql(MysqlFamily):
    """MySQL 8.4 or newer."""

    server_program = "mysqld"
    client_program = "mysql"
    unsafe_settings = {  # noqa: RUF012
        "innodb_flush_log_at_trx_commit": 0,
        "innodb_doublewrite": "OFF",
        # Loading must not appear in the history: no node may need transactions from it.
        "disable-log-bin": True,
    }

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host, engine, passwords)
        self.sql = LocalMysqlFamilySql(self, statement_limit)
        self.monitoring = MysqlMonitoring(self)
        self._setup = MysqlSetup(self)
        self._introspection = mysql_introspection(self)
        self._console = MysqlFamilyConsole(self, self.client_program, self.client_options)

    def command(self, *arguments: str) -> list[str]:
        # After a clone it exits with 16 for a restart, if its parent has this PID: the parent is in another
        # PID namespace, and so 0 (MySQL manual, "RESTART Statement").
        return ["env", "MYSQLD_PARENT_PID=0", *super().command(*arguments)]

    @property
    def number(self) -> int:
        """Return the server's id in its network: the last part of its host's address."""
        return number_of(self.host)

    @property
    def uuid(self) -> str:
        """Return the server's UUID, which its own transactions carry."""
        return uuid_of(self.host)

    def group(self) -> Group | None:
        """Return the group as this server sees it; None without an answer."""
        with contextlib.suppress(pymysql.Error):
            return group_of(self.sql.query(MEMBERS))
        return None

    def position(self) -> str:
        """Return the GTIDs that it has executed, or certified and not applied yet."""
        ((gtids,),) = self.sql.query(POSITION)
        return str(gtids)


def statement_limit(seconds: float) -> str:
    """Return the statement that makes the server end a session's queries after this time."""
    # It ends SELECT only (MySQL manual, max_execution_time).
    return f"SET SESSION max_execution_time = {round(seconds * 1000)}"
