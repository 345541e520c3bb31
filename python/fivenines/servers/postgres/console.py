"""psql on a PostgreSQL server."""

from fivenines.servers.base import APPLICATION, DATABASE, Server, inside
from fivenines.servers.console import Console
from fivenines.servers.postgres.accounts import ADMINISTRATOR, PASSFILE, UID


class PostgresConsole(Console):
    """Commands for psql, which finds the passwords in the server's password file."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def prompt(self) -> list[str]:
        return self._server.host.commands.inside(self._client(ADMINISTRATOR), UID)

    def shell(self, dsn: str, address: str) -> str:
        return f'psql "{dsn}"'

    def batch(self) -> list[str]:
        # As the application, which must own the tables.
        options = ["-q", "-v", "ON_ERROR_STOP=1"]
        return self._server.host.commands.inside([*self._client(APPLICATION), *options], UID)

    def _client(self, user: str) -> list[str]:
        where = f"host={inside('run')} user={user} dbname={DATABASE} passfile={PASSFILE}"
        return [self._server.engine.program("psql"), where]
