"""From here to the servers of a DSN: whether anybody answers, and connections for checks and SQL files."""

# ruff: noqa: PLC0415  (drivers are imported when one is needed)

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from fivenines.errors import FiveninesError, brief
from fivenines.load.bench import Bench
from fivenines.load.dsn import Dsn, Place

CONNECT_TIMEOUT = 5.0
"""Seconds until a server that does not answer is given up."""

_QUESTIONS = {
    "mysql": "SELECT NOT @@global.read_only",
    "postgres": "SELECT NOT pg_is_in_recovery()",
}


def first_answering(dsn: Dsn) -> Place:
    """The first server that accepts a connection, so that a wrong address is told at once.

    Raises:
        FiveninesError: none does, with what happened at each.
    """
    if dsn.driver == "noop":
        return Place("localhost", 1)
    problems = []
    for place in dsn.places:
        try:
            _knock(place, dsn.connect_timeout or CONNECT_TIMEOUT)
        except OSError as error:
            reason = "no answer" if isinstance(error, TimeoutError) else error.strerror
            problems.append(f"{place}: {reason or brief(error)}")
        else:
            return place
    raise FiveninesError(f"{dsn}: nobody answers: {'; '.join(problems)}")


@contextmanager
def primary(bench: Bench, seconds: float) -> Iterator[Any]:
    """A connection to the first server that takes writes, else to the first that lets us in.

    No statement lasts longer than so many seconds.

    Raises:
        FiveninesError: nobody lets us in.
    """
    problems, second_choice = [], None
    for place in bench.dsn.places:
        try:
            connection = _connect(bench, place, seconds)
        except Exception as error:  # each driver has errors of its own
            problems.append(f"{place}: {brief(error)}")
            continue
        if len(bench.dsn.places) == 1 or _takes_writes(connection, bench.dsn):
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


def run_files(bench: Bench, files: list[Path], seconds: float = 3600.0) -> None:
    """Run files of SQL one after the other, each as a whole.

    Raises:
        FiveninesError: a file cannot be read, or a statement failed.
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


def _knock(place: Place, timeout: float) -> None:
    if not place.socket:
        socket.create_connection((place.host, place.port), timeout).close()
        return
    with socket.socket(socket.AF_UNIX) as end:
        end.settimeout(timeout)
        end.connect(place.socket)


def _takes_writes(connection: Any, dsn: Dsn) -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute(_QUESTIONS[dsn.driver])
            return bool(cursor.fetchone()[0])
    except Exception:
        return False


def _connect(bench: Bench, place: Place, seconds: float) -> Any:
    opener = _connect_mysql if bench.dsn.driver == "mysql" else _connect_postgres
    return opener(bench, place, seconds)


def _connect_mysql(bench: Bench, place: Place, seconds: float) -> Any:
    """Encrypted as asked; PyMySQL knows no "prefer", so that is a second try where TLS is not offered."""
    import pymysql
    from pymysql.constants import CR

    mode = "disable" if place.socket else bench.load.tls
    try:
        return _open_mysql(bench, place, seconds, mode)
    except pymysql.err.OperationalError as error:
        if mode != "prefer" or error.args[0] != CR.CR_SSL_CONNECTION_ERROR:
            raise
        return _open_mysql(bench, place, seconds, "disable")


def _open_mysql(bench: Bench, place: Place, seconds: float, mode: str) -> Any:
    import pymysql
    from pymysql.constants import CLIENT

    where: dict[str, Any] = {"host": place.host, "port": place.port}
    if place.socket:
        where = {"unix_socket": place.socket}
    encryption: dict[str, Any] = {"ssl_disabled": True}
    if mode != "disable":
        encryption = {"ssl": {"check_hostname": mode == "verify-full"}}
        encryption["ssl"] |= {"ca": bench.load.tls_ca} if bench.load.tls_ca else {}
        encryption["ssl"]["verify_mode"] = mode.startswith("verify")
    return pymysql.connect(
        **where, **encryption, user=bench.dsn.user, password=bench.dsn.password,
        database=bench.dsn.database, connect_timeout=max(1, round(CONNECT_TIMEOUT)),
        read_timeout=max(1, round(seconds)), autocommit=True,
        client_flag=CLIENT.MULTI_STATEMENTS,
    )  # fmt: skip


def _connect_postgres(bench: Bench, place: Place, seconds: float) -> Any:
    import psycopg

    where: dict[str, Any] = {"host": place.host, "port": place.port}
    if place.socket:
        path, _, port = place.socket.rpartition("/.s.PGSQL.")
        where = {"host": path, "port": port}
    if bench.load.tls_ca:
        where["sslrootcert"] = bench.load.tls_ca
    return psycopg.connect(
        **where, sslmode=bench.load.tls, user=bench.dsn.user, password=bench.dsn.password,
        dbname=bench.dsn.database, connect_timeout=max(2, round(CONNECT_TIMEOUT)),
        options=f"-c statement_timeout={round(seconds * 1000)}", autocommit=True,
    )  # fmt: skip
