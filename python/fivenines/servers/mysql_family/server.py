"""Common parts of MariaDB and MySQL servers: one protocol, one client library, one format of options."""

from pathlib import Path
from typing import ClassVar, Literal

from fivenines.servers.base import Value, inside
from fivenines.servers.local import LocalServer
from fivenines.servers.mysql_family.setup import SOCKET, MysqlFamilySetup
from fivenines.servers.mysql_family.sql import MysqlFamilySql


class MysqlFamily(LocalServer):
    """A server with the MySQL protocol."""

    driver = "mysql"
    administrator = "root"
    socket_name = SOCKET
    port = 3306
    uid = 999

    server_program: ClassVar[str]
    client_program: ClassVar[str]
    # Options of its client for users, in addition to account and address.
    client_options: ClassVar[tuple[str, ...]] = ()

    sql: MysqlFamilySql
    _setup: MysqlFamilySetup

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return the settings (manuals on innodb_flush_log_at_trx_commit and sync_binlog)."""
        strict = kind == "strict"
        return {"innodb_flush_log_at_trx_commit": 1 if strict else 2, "sync_binlog": 1 if strict else 0}

    @property
    def log(self) -> Path:
        return self.host.node / "log" / "error.log"

    @property
    def setup(self) -> MysqlFamilySetup:
        return self._setup

    def command(self, *arguments: str) -> list[str]:
        config = inside("conf", "my.cnf")
        return [self.engine.program(self.server_program), f"--defaults-file={config}", *arguments]

    def start(self, *arguments: str) -> None:
        super().start(*arguments, *self.setup.arguments_once())

    def takes_writes(self) -> bool:
        # MariaDB 12 answers with words.
        return self.sql.query("SELECT CONCAT(@@global.read_only) IN ('0', 'OFF')") == [(1,)]
