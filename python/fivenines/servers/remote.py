"""Connections over a network to servers that fivenines does not run, by whatever account there is."""

# ruff: noqa: PLC0415  (drivers are imported when one is needed)

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Target:
    """Where a server is, and who we are there.

    Attributes:
        host: name or address; empty with `socket`.
        socket: path of a unix socket instead; PostgreSQL's ends in `/.s.PGSQL.PORT`.
        tls: one of libpq's modes.
        tls_ca: file with the authority that verify-* trusts.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    database: str
    socket: str = ""
    tls: str = "prefer"
    tls_ca: str = ""


def open_mysql(target: Target, connect_timeout: float, seconds: float) -> Any:
    """A connection in autocommit that waits for no answer longer than so many seconds.

    PyMySQL knows no "prefer", so that is a second try where TLS is not offered.
    """
    import pymysql
    from pymysql.constants import CR

    mode = "disable" if target.socket else target.tls
    try:
        return _open_mysql(target, connect_timeout, seconds, mode)
    except pymysql.err.OperationalError as error:
        if mode != "prefer" or error.args[0] != CR.CR_SSL_CONNECTION_ERROR:
            raise
        return _open_mysql(target, connect_timeout, seconds, "disable")


def _open_mysql(target: Target, connect_timeout: float, seconds: float, mode: str) -> Any:
    import pymysql
    from pymysql.constants import CLIENT

    where: dict[str, Any] = {"host": target.host, "port": target.port}
    if target.socket:
        where = {"unix_socket": target.socket}
    encryption: dict[str, Any] = {"ssl_disabled": True}
    if mode != "disable":
        encryption = {"ssl": {"check_hostname": mode == "verify-full"}}
        encryption["ssl"] |= {"ca": target.tls_ca} if target.tls_ca else {}
        encryption["ssl"]["verify_mode"] = mode.startswith("verify")
    return pymysql.connect(
        **where, **encryption, user=target.user, password=target.password, database=target.database,
        connect_timeout=max(1, round(connect_timeout)), read_timeout=max(1, round(seconds)),
        autocommit=True, client_flag=CLIENT.MULTI_STATEMENTS,
    )  # fmt: skip


def open_postgres(target: Target, connect_timeout: float, seconds: float) -> Any:
    """A connection in autocommit; the server ends statements that last longer than so many seconds."""
    import psycopg

    where: dict[str, Any] = {"host": target.host, "port": target.port}
    if target.socket:
        path, _, port = target.socket.rpartition("/.s.PGSQL.")
        where = {"host": path, "port": port}
    if target.tls_ca:
        where["sslrootcert"] = target.tls_ca
    return psycopg.connect(
        **where, sslmode=target.tls, user=target.user, password=target.password,
        dbname=target.database, connect_timeout=max(2, round(connect_timeout)),
        options=f"-c statement_timeout={round(seconds * 1000)}", autocommit=True,
    )  # fmt: skip
