"""SQL on external servers, over the network with an ordinary account."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError, brief
from fivenines.servers.external.remote import open_mysql, open_postgres
from fivenines.servers.external.server import ExternalServer
from fivenines.servers.mysql_family.sql import MysqlFamilySql, StatementLimit
from fivenines.servers.postgres.sql import PostgresSql
from fivenines.servers.sql import Sql


class ExternalPostgresSql(PostgresSql):
    """Connections of psycopg to the server's target."""

    def __init__(self, server: ExternalServer) -> None:
        super().__init__(server)
        self._server = server

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        with contextlib.closing(open_postgres(self._server.target, timeout, timeout)) as connection:
            yield connection

    def open_data(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        return self.connect(timeout)

    def run_file(self, file: Path) -> None:
        _run_file(self, file)


class ExternalMysqlFamilySql(MysqlFamilySql):
    """Connections of PyMySQL to the server's target."""

    def __init__(self, server: ExternalServer, statement_limit: StatementLimit) -> None:
        super().__init__(server, statement_limit)
        self._external = server

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        server = self._external
        connection = open_mysql(server.target, timeout, timeout)
        if server.target.tls == "prefer" and not connection.ssl:
            # TLS is not offered: trying it each time would cost a connection and CPU.
            server.target = replace(server.target, tls="disable")
        with contextlib.closing(connection):
            yield connection

    def run_file(self, file: Path) -> None:
        _run_file(self, file)


def _run_file(sql: Sql, file: Path) -> None:
    try:
        with sql.open_data(3600.0) as connection, connection.cursor() as cursor:
            cursor.execute(file.read_text(encoding="utf-8"))
            while cursor.nextset():
                pass
    except Exception as error:
        raise FiveninesError(f"{file}: {brief(error)}") from error
