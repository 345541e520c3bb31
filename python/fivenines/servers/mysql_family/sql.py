"""SQL on a MariaDB or MySQL server."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fivenines.base.drivers import pymysql
from fivenines.base.paths import short_path
from fivenines.servers.base import Server
from fivenines.servers.local import LocalServer
from fivenines.servers.mysql_family.opened import opened
from fivenines.servers.mysql_family.session import MysqlFamilySession
from fivenines.servers.sql import Sql, run_with_client

# Gives a session of fivenines no time limits: a user's short ones are for clients, and would end what
# fivenines itself asks. The first comment is executed by MySQL only, the second by MariaDB only (MariaDB
# documentation, "Comment Syntax": it ignores versions from 50700 to 50999).
UNLIMITED = (
    "SET SESSION /*!50708 max_execution_time = 0, */ /*M!100101 max_statement_time = 0, */ "
    "wait_timeout = 28800"
)

# Returns the statement that makes the server end a session's queries after so many seconds.
StatementLimit = Callable[[float], str]


class MysqlFamilySql(Sql):
    """Connections of PyMySQL.

    Args:
        server: the server.
        statement_limit: of its kind of server.
    """

    def __init__(self, server: Server, statement_limit: StatementLimit) -> None:
        super().__init__(server.name, server.passwords)
        self._server = server
        self._statement_limit = statement_limit

    @contextlib.contextmanager
    def open_data(self, timeout: float = 2.0) -> Iterator[Any]:
        # The server ends the statement, which would otherwise continue after a disconnect.
        with self.connect(timeout + 2) as connection:
            connection.select_db(self._server.database)
            with connection.cursor() as cursor:
                cursor.execute(self._statement_limit(timeout))
            yield connection

    def session(self, timeout: float) -> MysqlFamilySession:
        return MysqlFamilySession(self, timeout)

    def ledger_rows(self, timeout: float = 30.0) -> list[tuple[int, int]]:
        try:
            rows = self.query(
                f"SELECT id, executed_us FROM `{self._server.database}`.fivenines_ledger", timeout
            )
        except pymysql.err.ProgrammingError as error:
            if error.args[0] != pymysql.constants.ER.NO_SUCH_TABLE:
                raise
            return []
        return [(int(row[0]), int(row[1])) for row in rows]

    def status(self, *names: str) -> dict[str, str]:
        """Return status variables of the running server, by name in lower case."""
        quoted = ", ".join(f"'{name}'" for name in names)
        rows = self.query(f"SHOW GLOBAL STATUS WHERE Variable_name IN ({quoted})")
        return {name.lower(): str(value) for name, value in rows}

    def replica_status(self) -> dict[str, Any]:
        """Return SHOW REPLICA STATUS by column; empty if it follows no primary."""
        with self.connect() as connection, connection.cursor(pymysql.cursors.DictCursor) as cursor:
            try:
                cursor.execute("SHOW REPLICA STATUS")
            except pymysql.err.ProgrammingError:  # its name before MySQL 8.0.22 and MariaDB 10.5
                cursor.execute("SHOW SLAVE STATUS")
            return dict(cursor.fetchone() or {})


class LocalMysqlFamilySql(MysqlFamilySql):
    """Connections through the unix socket."""

    def __init__(self, server: LocalServer, statement_limit: StatementLimit) -> None:
        super().__init__(server, statement_limit)
        self._local = server

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        server = self._local
        with short_path(server.socket_folder()) as folder:
            connection = opened(
                unix_socket=f"{folder}/{server.socket_name}",
                user=server.administrator,
                password=self.passwords.administrator,
                # Otherwise a TLS context is built at every connect, for 30 ms of CPU.
                ssl_disabled=True,
                connect_timeout=max(1, round(timeout)),
                read_timeout=max(1, round(timeout)),
                write_timeout=max(1, round(timeout)),
                autocommit=True,
                init_command=UNLIMITED,
            )
        with connection:
            yield connection

    def run_file(self, file: Path) -> None:
        run_with_client(self._server.console.batch(), file)
