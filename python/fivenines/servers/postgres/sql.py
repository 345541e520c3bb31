"""SQL on a PostgreSQL server."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fivenines.base.drivers import psycopg
from fivenines.base.paths import short_path
from fivenines.servers.base import Server
from fivenines.servers.local import LocalServer
from fivenines.servers.postgres.accounts import ADMINISTRATOR
from fivenines.servers.postgres.opened import opened
from fivenines.servers.postgres.session import PostgresSession
from fivenines.servers.sql import Sql, run_with_client


class PostgresSql(Sql):
    """Connections of psycopg."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.name, server.passwords)

    def session(self, timeout: float) -> PostgresSession:
        return PostgresSession(self, timeout)

    def ledger_rows(self, timeout: float = 30.0) -> list[tuple[int, int]]:
        with self.open_data(timeout) as connection:
            try:
                rows = connection.execute("SELECT id, executed_us FROM fivenines_ledger").fetchall()
            except psycopg.errors.UndefinedTable:
                return []
        return [(int(row[0]), int(row[1])) for row in rows]


class LocalPostgresSql(PostgresSql):
    """Connections through the unix socket."""

    def __init__(self, server: LocalServer) -> None:
        super().__init__(server)
        self._server = server

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0, database: str = ADMINISTRATOR) -> Iterator[Any]:
        with self._unlimited(timeout, database) as connection:
            yield connection

    def _unlimited(self, timeout: float, database: str) -> "psycopg.Connection[Any]":
        """Log in until the session has its own limits.

        The server's idle_session_timeout, which applies before, may end it while this process has no CPU.
        """
        end = time.monotonic() + _LOGIN
        while True:
            connection = self._logged_in(timeout, database)
            try:
                connection.execute(limits(connection.info.server_version, timeout))
            except BaseException as error:
                connection.close()
                if not isinstance(error, psycopg.errors.IdleSessionTimeout) or time.monotonic() > end:
                    raise
            else:
                return connection

    def _logged_in(self, timeout: float, database: str) -> "psycopg.Connection[Any]":
        with short_path(self._server.socket_folder()) as folder:
            return opened(
                host=folder,
                user=ADMINISTRATOR,
                password=self.passwords.administrator,
                dbname=database,
                connect_timeout=max(2, round(timeout)),
                autocommit=True,
            )

    def open_data(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        return self.connect(timeout, self._server.database)

    def run_file(self, file: Path) -> None:
        run_with_client(self._server.console.batch(), file)


# Seconds for which a session that the server ended at once is opened again.
_LOGIN = 30.0


def limits(version: int, seconds: float) -> str:
    """Return statements that give a session of fivenines its own time limits, not the server's defaults.

    A user's limits are for clients: a short one would end what fivenines itself asks. As SET, not as options
    of the connection: pg_settings then still shows the server's values, as `reset_val`.

    Args:
        version: of the server, as libpq gives it: 180006.
        seconds: time limit of each statement.
    """
    names = ["lock_timeout", "idle_in_transaction_session_timeout"]
    names += ["idle_session_timeout"] if version >= 140000 else []
    names += ["transaction_timeout"] if version >= 170000 else []
    none = [f"SET {name} = 0" for name in names]
    return "; ".join([*none, f"SET statement_timeout = {round(seconds * 1000)}"])
