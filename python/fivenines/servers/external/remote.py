"""Network connections to servers that fivenines does not run, with any account."""

# ruff: noqa: PLC0415  (drivers are imported when one is needed)

from dataclasses import dataclass, field
from typing import Any

from fivenines.servers.mysql_family.opened import opened
from fivenines.servers.mysql_family.sql import UNLIMITED
from fivenines.servers.postgres import opened as postgres
from fivenines.servers.session_options import NO_OPTIONS, SessionOptions


@dataclass(frozen=True)
class Target:
    """Address of a server, and the account.

    Attributes:
        host: name or address; empty with `socket`.
        socket: path of a unix socket instead; PostgreSQL's ends in `/.s.PGSQL.PORT`.
        tls: one of libpq's modes.
        tls_ca: file with the certificate authority for verify-*.
        session: options of each session.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    database: str
    socket: str = ""
    tls: str = "prefer"
    tls_ca: str = ""
    session: SessionOptions = NO_OPTIONS


def open_mysql(target: Target, connect_timeout: float, seconds: float) -> Any:
    """Open a connection in autocommit with a timeout for answers.

    PyMySQL has no "prefer", so a second try without TLS follows if TLS is not offered.
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
    from pymysql.constants import CLIENT

    asked = target.session
    where: dict[str, Any] = {"host": target.host, "port": target.port}
    if target.socket:
        where = {"unix_socket": target.socket}
    encryption: dict[str, Any] = {"ssl_disabled": True}
    if mode != "disable":
        encryption = {"ssl": {"check_hostname": mode == "verify-full"}}
        encryption["ssl"] |= {"ca": target.tls_ca} if target.tls_ca else {}
        encryption["ssl"] |= {"cert": asked.tls_cert, "key": asked.tls_key} if asked.tls_cert else {}
        encryption["ssl"]["verify_mode"] = mode.startswith("verify")
    return opened(
        **where,
        **encryption,
        user=target.user,
        password=target.password,
        database=target.database,
        connect_timeout=max(1, round(connect_timeout)),
        read_timeout=max(1, round(seconds)),
        autocommit=True,
        client_flag=CLIENT.MULTI_STATEMENTS,
        init_command=asked.init_sql or UNLIMITED,
    )


def open_postgres(target: Target, connect_timeout: float, seconds: float) -> Any:
    """Open a connection in autocommit; the server ends statements after `seconds`.

    A pooler that does not know the parameter for that (PgBouncer without `ignore_startup_parameters`) has no
    such timeout.
    """
    import psycopg

    bound = f"-c statement_timeout={round(seconds * 1000)}"
    try:
        return _open_postgres(target, connect_timeout, bound)
    except psycopg.OperationalError as error:
        if "unsupported startup parameter: options" not in str(error) or dict(target.session.startup).get(
            "options"
        ):
            raise
        return _open_postgres(target, connect_timeout, "")


def _open_postgres(target: Target, connect_timeout: float, bound: str) -> Any:
    where: dict[str, Any] = {"host": target.host, "port": target.port}
    if target.socket:
        path, _, port = target.socket.rpartition("/.s.PGSQL.")
        where = {"host": path, "port": port}
    if target.tls_ca:
        where["sslrootcert"] = target.tls_ca
    elif target.tls == "verify-full":
        where["sslrootcert"] = "system"
    session = target.session
    where |= {"sslcert": session.tls_cert, "sslkey": session.tls_key} if session.tls_cert else {}
    where |= {"sslnegotiation": "direct"} if session.tls_direct else {}
    where |= {"channel_binding": session.channel_binding} if session.channel_binding else {}
    where |= {"require_auth": session.require_auth} if session.require_auth else {}
    parameters = dict(session.startup)
    options = [parameters.pop("options", ""), bound]
    options += [
        f"-c {name}={_escaped(value)}" for name, value in parameters.items() if name != "application_name"
    ]
    if "application_name" in parameters:
        where["application_name"] = parameters["application_name"]
    return postgres.opened(
        **where,
        sslmode=target.tls,
        user=target.user,
        password=target.password,
        dbname=target.database,
        connect_timeout=max(2, round(connect_timeout)),
        options=" ".join(filter(None, options)),
        autocommit=True,
    )


def _escaped(value: str) -> str:
    """Escape a value for `options`: a backslash before each space or backslash."""
    return value.replace("\\", "\\\\").replace(" ", "\\ ")
