"""Connect to the servers of a DSN, for reachability, checks and SQL files."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError, UsageError, brief
from fivenines.load.bench.plan import Bench
from fivenines.load.dsn import Address, Dsn
from fivenines.servers.external import by_odbc, writable
from fivenines.servers.external.remote import Target, open_mysql, open_postgres

# Timeout in seconds for connecting to a server.
CONNECT_TIMEOUT = 5.0


def first_answering(dsn: Dsn) -> Address:
    """Return the first server that accepts a connection, to detect wrong addresses early.

    Raises:
        FiveninesError: no server does, with the reason of each.
    """
    if dsn.driver == "noop":
        return Address("localhost", 1)
    if dsn.by_odbc:  # `with_dialect` has asked
        return dsn.addresses[0]
    problems = []
    for address in dsn.addresses:
        try:
            _knock(address, dsn.connect_timeout or CONNECT_TIMEOUT)
        except OSError as error:
            reason = "no answer" if isinstance(error, TimeoutError) else error.strerror
            problems.append(f"{address}: {reason or brief(error)}")
        else:
            return address
    raise FiveninesError(f"{dsn}: no server answers: {'; '.join(problems)}")


def with_dialect(dsn: Dsn, dialect: str) -> Dsn:
    """Return the DSN, for ODBC with the dialect of the option or of the server's name.

    Raises:
        FiveninesError: the driver, the data source or the server is not reachable.
        UsageError: the dialect is unknown.
    """
    if not dsn.by_odbc:
        if dialect:
            raise UsageError("--dialect: applies only to ODBC DSNs. Leave it out")
        return dsn
    found = by_odbc.ask(dsn.addresses[0].odbc, dsn.password, dsn.connect_timeout or CONNECT_TIMEOUT)
    spoken = str(dialect or found["dialect"])
    if spoken not in by_odbc.DIALECTS:
        raise UsageError(
            f"{dsn}: the dialect of {found['dbms']} is unknown. Name a compatible one with --dialect "
            f"({', '.join(by_odbc.DIALECTS)})"
        )
    return replace(dsn, driver=by_odbc.known(spoken))


@contextmanager
def primary(bench: Bench, seconds: float) -> Iterator[Any]:
    """Connect to the first writable server, or else to the first that accepts the account.

    `seconds` is the statement timeout.

    Raises:
        FiveninesError: no server accepts the account.
    """
    problems, second_choice = [], None
    for address in bench.dsn.addresses:
        try:
            connection = _connect(bench, address, seconds)
        except Exception as error:  # each driver has its own exceptions
            problems.append(f"{address}: {brief(error)}")
            continue
        if len(bench.dsn.addresses) == 1 or not _why_not(connection, bench.dsn):
            second_choice = connection
            break
        if second_choice is None:
            second_choice = connection
        else:
            connection.close()
    if second_choice is None:
        raise FiveninesError(f"{bench.dsn}: {'; '.join(problems)}")
    with closing(second_choice):
        yield second_choice


def for_writes(bench: Bench, answering: Address) -> Address:
    """Return the first writable server; a single server or an ODBC server is not checked.

    Args:
        bench: the load, with its servers.
        answering: the first server that answers.

    Raises:
        FiveninesError: no server is writable, with the reason of each.
    """
    if len(bench.dsn.addresses) < 2 or bench.dsn.by_odbc:
        return answering
    problems = []
    for address in bench.dsn.addresses:
        try:
            with closing(_connect(bench, address, CONNECT_TIMEOUT)) as connection:
                reason = _why_not(connection, bench.dsn)
        except Exception as error:  # each driver has its own exceptions
            reason = brief(error)
        if not reason:
            return address
        problems.append(f"{address}: {reason}")
    raise FiveninesError(f"{bench.dsn}: no server is writable: {'; '.join(problems)}")


def check_standbys(bench: Bench, address: Address) -> None:
    """Check that commits do not wait for a synchronous standby that is not connected.

    Raises:
        FiveninesError: each commit would wait without end, or the server does not answer.
    """
    if bench.dsn.by_odbc or bench.dsn.driver != "postgres":
        return
    try:
        with closing(_connect(bench, address, CONNECT_TIMEOUT)) as connection:
            reason = writable.endless_wait(bench.dsn.driver, partial(_asked, connection))
    except Exception as error:  # each driver has its own exceptions
        reason = brief(error)
    if reason:
        raise FiveninesError(f"{address}: {reason}")


def check_files(dsn: Dsn) -> None:
    """Check that the files of the client's certificate exist.

    Raises:
        UsageError: a file does not exist.
    """
    for name, file in (("sslcert", dsn.session.tls_cert), ("sslkey", dsn.session.tls_key)):
        if file and not Path(file).is_file():
            raise UsageError(f"{name} {file}: the file does not exist")


def run_files(bench: Bench, files: list[Path], seconds: float = 3600.0) -> None:
    """Run SQL files one after another.

    Raises:
        FiveninesError: a file is not readable, or a statement failed.
    """
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
            with primary(bench, seconds) as connection, connection.cursor() as cursor:
                cursor.execute(text)
                while cursor.nextset():
                    pass
        except FiveninesError:
            raise
        except Exception as error:
            raise FiveninesError(f"{file}: {brief(error)}") from None


def _knock(address: Address, timeout: float) -> None:
    if not address.socket:
        socket.create_connection((address.host, address.port), timeout).close()
        return
    with socket.socket(socket.AF_UNIX) as end:
        end.settimeout(timeout)
        end.connect(address.socket)


def _why_not(connection: Any, dsn: Dsn) -> str:
    """Return why the server is not writable; empty if it is."""
    try:
        return writable.why_not(dsn.driver, partial(_asked, connection))
    except Exception as error:  # each driver has its own exceptions
        return brief(error)


def _asked(connection: Any, question: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return list(cursor.fetchall())


def _connect(bench: Bench, address: Address, seconds: float) -> Any:
    if address.odbc:
        dsn = bench.dsn
        return by_odbc.Connection(address.odbc, dsn.password, dsn.driver, CONNECT_TIMEOUT, seconds)
    dsn = bench.dsn
    opener = open_mysql if dsn.driver == "mysql" else open_postgres
    target = Target(
        address.host,
        address.port,
        dsn.user,
        dsn.password,
        dsn.database,
        address.socket,
        bench.load.tls,
        bench.load.tls_ca or "",
        dsn.session,
    )
    return opener(target, CONNECT_TIMEOUT, seconds)
