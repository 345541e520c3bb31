"""SQL on a PostgreSQL server."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fivenines.base.drivers import psycopg
from fivenines.base.paths import short_path
from fivenines.servers.base import Server
from fivenines.servers.local import LocalServer
from fivenines.servers.postgres.accounts import ADMINISTRATOR
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
        with (
            short_path(self._server.socket_folder()) as folder,
            psycopg.connect(
                host=folder,
                user=ADMINISTRATOR,
                password=self.passwords.administrator,
                dbname=database,
                connect_timeout=max(2, round(timeout)),
                options=f"-c statement_timeout={round(timeout * 1000)}",
                autocommit=True,
            ) as connection,
        ):
            yield connection

    def open_data(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        return self.connect(timeout, self._server.database)

    def run_file(self, file: Path) -> None:
        run_with_client(self._server.console.batch(), file)
