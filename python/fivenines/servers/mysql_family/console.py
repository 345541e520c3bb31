"""The client of MariaDB or MySQL."""

import shlex

from fivenines.servers import secrets
from fivenines.servers.base import DATABASE, Server, inside
from fivenines.servers.console import Console
from fivenines.servers.mysql_family.setup import SOCKET


class MysqlFamilyConsole(Console):
    """Commands for `program`.

    Args:
        server: the server.
        program: name of the client.
        options: options for users, in addition to account and address.
    """

    def __init__(self, server: Server, program: str, options: tuple[str, ...] = ()) -> None:
        self._server = server
        self._program, self._options = program, options

    def prompt(self) -> list[str]:
        options = secrets.seen_inside(f"{self._server.administrator}.cnf")
        client = [self._server.engine.program(self._program), f"--defaults-extra-file={options}"]
        return self._server.host.commands.inside(
            [*client, f"--socket={inside('run', SOCKET)}", DATABASE], None
        )

    def shell(self, dsn: str, address: str) -> str:
        user, password = self._server.application
        host, _, port = address.rpartition(":")
        where = [f"-h{host}", f"-P{port}", f"-u{user}", f"-p{password}"]
        return shlex.join([self._program, *where, *self._options, self._server.database])

    def batch(self) -> list[str]:
        return self.prompt()
