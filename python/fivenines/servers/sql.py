"""SQL on a database server, as its administrator: connections, statements and files of statements."""

import contextlib
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.servers.secrets import Passwords
from fivenines.servers.session import Session

Rows = list[tuple[Any, ...]]


class Sql(ABC):
    """Connections to one server.

    Args:
        name: the server's name, for messages.
        passwords: passwords that messages must not contain.
    """

    def __init__(self, name: str, passwords: Passwords) -> None:
        self.name = name
        self.passwords = passwords

    @abstractmethod
    def connect(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        """Open an administrator's DB-API connection in autocommit; `timeout`: of each step, in seconds."""

    @abstractmethod
    def open_data(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        """Open a connection like `connect`, in the database with the workload's tables."""

    @abstractmethod
    def session(self, timeout: float) -> Session:
        """Return a lasting connection for many queries with this timeout; it connects at the first query."""

    @abstractmethod
    def run_file(self, file: Path) -> None:
        """Run a file of SQL statements in the workload's database.

        Raises:
            FiveninesError: a statement failed; with the client's last lines.
        """

    @abstractmethod
    def ledger_rows(self, timeout: float = 30.0) -> Sequence[tuple[int, int | None]]:
        """Return the ledger's rows: id, and server time of the INSERT in us since 1970 (None: unknown).

        Returns no rows if the table itself is lost, as after a power loss.
        """

    def query(self, statement: str, timeout: float = 2.0) -> Rows:
        """Run one statement as administrator; return its rows, if any.

        Raises:
            Exception: the driver's own error.
        """
        with self.connect(timeout) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []

    def execute(self, *statements: str, timeout: float = 30.0) -> None:
        """Run statements one after another as administrator, on one connection.

        Raises:
            FiveninesError: a statement failed; with its text and the server's message.
        """
        statement = ""
        try:
            with self.connect(timeout) as connection, connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
        except FiveninesError:
            raise
        except Exception as error:
            message = f"{statement!r}: {error}" if statement else str(error)
            raise FiveninesError(self.passwords.hidden(f"{self.name}: {message}")) from error


def run_with_client(command: Sequence[str], file: Path) -> None:
    """Run a file of SQL statements with a client that reads it from stdin.

    Raises:
        FiveninesError: a statement failed; with the client's last lines.
    """
    with file.open(encoding="utf-8") as text:
        done = subprocess.run(command, stdin=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FiveninesError(f"{file}: {done.stderr.strip()[-500:]}")
