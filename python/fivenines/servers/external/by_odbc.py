"""ODBC connections of the controller, made by `fivenines-core odbc --lines`.

So there is one way to a driver, and Python needs none. The classes implement only the parts of DB-API that
checks need.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal, get_args

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.waiting import is_ready

Dialect = Literal["mysql", "postgres", "soliddb", "oracle", "sqlserver", "db2"]
# Supported SQL dialects, as `Kind` of crates/sql-wire names them.
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

# Seconds that a driver may take to disconnect, in addition to the login timeout.
_LEAVES = 5.0

# The environment variable with the password, as in `load.commands`.
PASSWORD = "FIVENINES_PASSWORD"


class OdbcError(FiveninesError):
    """A statement was refused, or the connection is lost.

    Attributes:
        kind: class of the failure, as in load.json.
        code: the DBMS' own number, or an SQLSTATE.
    """

    def __init__(self, message: str, kind: str = "", code: str = "") -> None:
        super().__init__(message)
        self.kind, self.code = kind, code


def known(name: str) -> Dialect:
    """Return the dialect of this name, one of `DIALECTS`."""
    return next(dialect for dialect in DIALECTS if dialect == name)


def ask(odbc: str, password: str, timeout: float) -> dict[str, Any]:
    """Query the DBMS of a connection string: `dbms`, `version`, and `dialect` (None if unknown).

    Raises:
        FiveninesError: it cannot be reached; with a remedy if one is known.
    """
    try:
        done = subprocess.run(
            _command(odbc, timeout),
            env=_environment(password),
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout + _LEAVES,
        )
    except subprocess.TimeoutExpired:
        raise OdbcError(f"no answer in {timeout:g} s", "timeout") from None
    if done.returncode != 0:
        raise _refusal(done.stderr, password)
    return _parsed(done.stdout)


class Connection:
    """A session in autocommit with a timeout for each statement.

    Raises:
        FiveninesError: the connection failed.
    """

    def __init__(self, odbc: str, password: str, dialect: str, timeout: float, seconds: float) -> None:
        command = [
            *_command(odbc, timeout),
            "--lines",
            dialect,
            "--answer-timeout",
            f"{max(seconds, 0.1):.3f}",
        ]
        self._password = password
        self._bound = timeout + seconds
        self._process = subprocess.Popen(
            command,
            env=_environment(password),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            self._line()
        except BaseException:
            self.close()
            raise

    def cursor(self) -> "Cursor":
        return Cursor(self)

    def execute(self, sql: str) -> "Cursor":
        """Execute a statement on a separate cursor."""
        cursor = self.cursor()
        cursor.execute(sql)
        return cursor

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                # `close` writes again what could not be written to a process that has ended.
                with suppress(OSError):
                    stream.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer(self, sql: str) -> dict[str, Any]:
        """Return the answer to a statement.

        Raises:
            OdbcError: it was refused, or the server does not answer.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(sql) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise _refusal(self._message(), self._password) from None
        answer = self._line()
        if error := answer.get("error"):
            message = str(error["message"]).partition("\n")[0]
            raise OdbcError(f"{error['code']}: {message}", error["class"], error["code"])
        return answer

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        # An answer is one line, so the stream's own buffer contains no further one.
        if not is_ready(self._bound, [self._process.stdout]):
            self._process.kill()
            raise OdbcError(f"no answer in {self._bound:g} s", "timeout")
        line = self._process.stdout.readline()
        if not line:
            raise _refusal(self._message(), self._password)
        return _parsed(line)

    def _message(self) -> str:
        assert self._process.stderr is not None
        self._process.wait()
        return self._process.stderr.read()


class Cursor:
    """The rows of the last statement."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: Iterator[tuple[Any, ...]] = iter(())
        self.rowcount = -1
        self.description: list[tuple[str]] | None = None

    def execute(self, sql: str, values: Sequence[object] | None = None) -> "Cursor":
        """Execute a statement, without parameters.

        Raises:
            OdbcError: it was refused.
        """
        if values:
            raise NotImplementedError("statements through ODBC have no parameters here")
        answer = self._connection.answer(sql)
        self._rows = iter([tuple(row) for row in answer["rows"]])
        self.description = [(name,) for name in answer["columns"]] or None
        self.rowcount = int(answer["count"] if answer["columns"] else answer["affected"])
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._rows, None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._rows)

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        return [row for _, row in zip(range(size), self._rows, strict=False)]

    def nextset(self) -> None:
        """Return None: all results of a text were read with its first."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing, as there is nothing to release."""


def _command(odbc: str, timeout: float) -> list[str]:
    return [
        str(core_binary()),
        "odbc",
        "--odbc",
        odbc,
        "--password-env",
        PASSWORD,
        "--connect-timeout",
        f"{max(timeout, 0.1):.3f}",
    ]


def _parsed(line: str) -> dict[str, Any]:
    try:
        return dict(json.loads(line))
    except ValueError:
        # The driver has written output of its own among the answers.
        raise OdbcError(f"unreadable answer: {line.strip()[:80]!r}") from None


def _environment(password: str) -> dict[str, str]:
    return {**os.environ, PASSWORD: password}


def _refusal(output: str, password: str) -> FiveninesError:
    lines = [line for line in output.splitlines() if line.strip()]
    reason = lines[-1].removeprefix("fivenines-core: ") if lines else "it gave no reason"
    if password:
        reason = reason.replace(password, "***")
    return UsageError(reason) if "error: " in output[:8] else OdbcError(reason)
