"""Parse connection strings in the form of any common client.

`mysql://user:password@host:port/database?option=value` and `postgresql://`, libpq's keywords, JDBC,
go-sql-driver, ADO.NET, PHP's PDO, the command lines of `psql` and `mysql`, or `odbc:` and a connection string
of ODBC. Several hosts are joined by commas. The password never appears in a message, a `repr` or a command
line.

`forms` splits a string, `words` is the table of options, `options` and `encryption` interpret them, and
`files` reads the additional files of clients.
"""

import getpass
import os
import re
from dataclasses import replace
from pathlib import Path

from fivenines.base.errors import UsageError
from fivenines.load import odbc
from fivenines.load.dsn import files, hosts, options
from fivenines.load.dsn.encryption import encryption_of
from fivenines.load.dsn.forms import INSTEAD, plain, taken_apart
from fivenines.load.dsn.model import (
    NOOP,
    PORTS,
    TLS_MODES,
    Address,
    Driver,
    Dsn,
    FormError,
    Written,
    WrongError,
)
from fivenines.servers.session_options import SessionOptions

__all__ = [
    "NOOP",
    "PORTS",
    "TLS_MODES",
    "Address",
    "Driver",
    "Dsn",
    "parse_addresses",
    "parse_dsn",
    "redacted",
]

_FORM = "mysql://user:password@host:port/database or postgresql://..."
_ASSIGNED = re.compile(
    r"(?:export\s+|set\s+)?[A-Za-z_][A-Za-z0-9_.-]*\s*(?:=|:\s)\s*"
    r"(?:(['\"])(?P<quoted>.*)\1|(?P<plain>[A-Za-z][A-Za-z0-9+.:_-]*://\S*|[^\s='\"]*@(?:tcp|unix)\(\S*?));?"
    r"(?:\s+#.*)?"
)
"""A line of .env, of Java's properties or of YAML: `DATABASE_URL=postgres://...`, `url: jdbc:...`."""

_PLACEHOLDER = re.compile(
    r"[\[{<](?:your|the|my|enter|insert|db|database)?[ _-]*"
    r"(?:pass(?:word|wd)?|user(?:[ _-]?name)?|database(?:[ _-]?name)?|db(?:[ _-]?name)?)[\]}>]"
    r"|\$\{\w+\}|\{\{[^{}]*\}\}|\$\(\w+\)|%\(\w+\)s",
    re.IGNORECASE,
)
"""What stands where a person's own word belongs: [YOUR-PASSWORD], {your_database}, <password>, ${DB_USER}."""

_SOCKETS = ("/var/run/postgresql", "/tmp")


def parse_dsn(text: str) -> Dsn:
    """Parse a connection string, completed from files and the environment as by its client.

    Raises:
        UsageError: it is malformed; the message never shows the password.
    """
    text = _unquoted(text.strip())
    assigned = _ASSIGNED.fullmatch(text)
    if assigned and (value := assigned["quoted"] or assigned["plain"]) and re.search(r"://|@\w+\(", value):
        text = value
    if text[: len(odbc.PREFIX)].lower() == odbc.PREFIX:
        return _by_odbc(text[len(odbc.PREFIX) :])
    scheme = text.partition("://")[0]
    if instead := INSTEAD.get(scheme.lower().removeprefix("jdbc:")):
        raise UsageError(f"the DSN has the scheme {scheme!r}: {instead}")
    try:
        written = taken_apart(text)
        if written is None:
            known = f"the scheme {scheme!r}" if _has_scheme(text) else "no known scheme"
            raise UsageError(f"the DSN has {known}: write {_FORM}")
        if written.driver == "noop":
            return Dsn("noop", "", "", (), "")
        return _completed(written)
    except WrongError as wrong:
        form = f"; write {_FORM}" if isinstance(wrong, FormError) else ""
        raise UsageError(f"DSN {redacted(text)}: {wrong}{form}") from None


def parse_addresses(text: str, driver: Driver) -> tuple[Address, ...]:
    """Parse servers from `host:port,host:port`, where a path is a Unix socket, or from a DSN.

    Raises:
        UsageError: a part is malformed.
    """
    if "://" in text or text.lower().startswith(odbc.PREFIX):
        return parse_dsn(text).addresses
    try:
        return hosts.addresses_of(text, driver)
    except WrongError as wrong:
        raise UsageError(f"{text!r}: {wrong}; write HOST:PORT,HOST:PORT or a DSN") from None


def redacted(text: str) -> str:
    """Return a DSN without anything that might be a password."""
    if text[: len(odbc.PREFIX)].lower() == odbc.PREFIX:
        try:
            kept, password = odbc.split_password(text[len(odbc.PREFIX) :])
        except odbc.ConnectionStringError:
            return f"{odbc.PREFIX}***"
        return f"{odbc.PREFIX}{kept}{'' if password is None else ';PWD=***'}"
    scheme, separator, rest = text.partition("://")
    if not separator or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.:_-]*", scheme):
        return "***"
    account, at, server = rest.rpartition("@")
    server, asked, _ = server.partition("?")
    shown = "?..." if asked else ""  # it may contain a password
    if not at:
        return f"{scheme}://{_without_account(server)}"
    user = account.partition(":")[0]
    if re.search(r"[/?&=;]", user):  # the `@` may be a part of a password among the options
        return f"{scheme}://***"
    return f"{scheme}://{user}{':***' if ':' in account else ''}@{server}{shown}"


def _without_account(server: str) -> str:
    """Return hosts and database before which no account stands, without anything that might be a password."""
    # Options may stand in brackets, or behind another separator than `?`.
    if re.search(r"[=;()\s]", server):
        return "***"
    # A password with a special character may be anywhere after a colon.
    return server.partition(":")[0] + (":***" if ":" in server else "")


def _by_odbc(text: str) -> Dsn:
    try:
        kept, password = odbc.split_password(text)
    except odbc.ConnectionStringError as wrong:
        raise UsageError(f"the DSN {odbc.PREFIX}***: {wrong}; write {odbc.FORM}") from None
    secret = os.environ.get("ODBC_PWD", "") if password is None else password
    return Dsn("odbc", "", secret, (Address("", odbc=kept),), "")


def _completed(written: Written) -> Dsn:
    asked = options.of(written)
    driver, postgres = written.driver, written.driver == "postgres"
    written = _with_one_place(asked, written)
    _add_defaults(asked, written)
    addresses = _addresses(asked, written)
    user = asked.get("user") or (_own_name() if postgres and _is_libpq(written) else "")
    if not user:
        raise FormError("the user is missing")
    database = asked.get("dbname") or (user if postgres and _is_libpq(written) else "")
    if not database:
        raise FormError("the database is missing")
    if any("\0" in value for value in asked.values.values()):
        raise WrongError("it contains a zero byte")
    password = asked.get("password")
    if postgres and "password" not in asked.values:
        password, notes = files.password_of(asked.get("passfile"), addresses, database, user)
        asked.notes += notes
    for what, value in (("user", user), ("database", database), ("password", password)):
        if _PLACEHOLDER.fullmatch(value):
            raise WrongError(f"the {what} is still a placeholder: write yours in its place")
    asked.check_words()
    tls = encryption_of(asked)
    return Dsn(
        driver,
        user,
        password,
        addresses,
        database,
        tls=tls.mode,
        tls_ca=tls.authority,
        connect_timeout=asked.seconds("connect_timeout"),
        answer_timeout=asked.seconds("answer_timeout"),
        tcp_user_timeout=asked.seconds("tcp_user_timeout"),
        find=asked.find(),
        spread=asked.spread(),
        keepalive=asked.keepalive(),
        session=SessionOptions(
            tls_cert=tls.certificate,
            tls_key=tls.key,
            tls_direct=tls.direct,
            channel_binding=asked.get("channel_binding").lower(),
            require_auth=asked.get("require_auth"),
            startup=asked.startup(),
            init_sql=asked.init_sql(),
        ),
        notes=tuple(asked.notes),
    )


def _with_one_place(asked: options.Asked, written: Written) -> Written:
    """Let an option that names the server override the address, as libpq and drivers of MySQL do.

    Cloud consoles show `postgresql://user@localhost/db?host=/cloudsql/...` and `?unix_socket=...`.
    """
    if not written.hosts or not any(asked.get(name) for name in ("host", "socket")):
        return written
    name = "socket" if asked.get("socket") else "host"
    if "," in written.hosts or (name == "host" and not (written.driver == "postgres" and _is_libpq(written))):
        raise WrongError("it names hosts both before the database and as an option")
    if port := re.search(r":([0-9]+)$", written.hosts):
        asked.values.setdefault("port", port[1])
    asked.notes.append(f"the host before the database has no effect: the option {name!r} names another")
    return replace(written, hosts="")


def _add_defaults(asked: options.Asked, written: Written) -> None:
    """Add defaults from files and the environment, in order of precedence."""
    if written.driver == "postgres":
        environment = files.of_environment(files.LIBPQ_ENVIRONMENT)
        if not _is_libpq(written):
            environment = [pair for pair in environment if pair[0] in ("password", "passfile")]
        known = dict(environment)
        if service := asked.get("service") or known.get("service", ""):
            file = asked.get("servicefile") or known.get("servicefile", "")
            asked.add(files.of_service(service, file))
        if written.hosts:
            environment = [pair for pair in environment if pair[0] not in ("host", "hostaddr", "port")]
        asked.add(environment)
        return
    if file := asked.get("defaults_file"):
        suffix = asked.get("defaults_group")
        groups = ["client", "mysql", "client-server", "client-mariadb"]
        groups += [suffix, f"client{suffix}", f"mysql{suffix}"] if suffix else []
        pairs, notes = files.of_option_file(file, groups)
        if written.hosts:
            pairs = [pair for pair in pairs if pair[0] not in ("host", "port", "socket")]
        asked.add(pairs, weak=True)
        asked.notes += notes
    environment = files.of_environment(files.MYSQL_ENVIRONMENT)
    named = written.form != "client" or written.hosts
    asked.add([pair for pair in environment if pair[0] == "password" or not named])


def _addresses(asked: options.Asked, written: Written) -> tuple[Address, ...]:
    driver = written.driver
    if written.hosts and any(plain(name) == "port" for name, _ in written.options):
        if re.search(r":[0-9]+(,|$)", written.hosts):
            raise WrongError("it has a port both after a host and as an option: leave one of them out")
        return hosts.paired(written.hosts, asked.get("port"), driver)
    if written.hosts:
        return hosts.addresses_of(written.hosts, driver, _port(asked))
    if socket := asked.get("socket"):
        return hosts.addresses_of(socket, driver)
    names = asked.get("host")
    if literal := asked.get("hostaddr"):
        if asked.get("sslmode").lower() == "verify-full" and names:
            raise WrongError(
                "hostaddr with sslmode=verify-full: the certificate would be checked against the address: "
                "leave hostaddr out, or write sslmode=verify-ca"
            )
        names = literal
    if not names and driver == "postgres" and _is_libpq(written):
        port = _port(asked) or PORTS[driver]
        folders = [one for one in _SOCKETS if Path(one, f".s.PGSQL.{port}").exists()]
        names = folders[0] if folders else "localhost"
    if driver == "mysql" and written.form == "client" and names in ("", "localhost"):
        names = names or "127.0.0.1"
        if not asked.get("protocol"):
            asked.notes.append(
                "'localhost' is reached over TCP: this client would use its unix socket there; for that "
                "write socket=/run/mysqld/mysqld.sock"
            )
    if not names and written.form.startswith("jdbc-"):
        names = "localhost"
    if not names:
        raise FormError("the host is missing")
    return hosts.paired(names, asked.get("port"), driver)


def _port(asked: options.Asked) -> int:
    written = asked.get("port")
    return int(written) if re.fullmatch(r"[1-9][0-9]{0,4}", written) else 0


def _is_libpq(written: Written) -> bool:
    """Return whether clients of this form use libpq's environment and defaults."""
    return written.form in ("uri", "libpq")


def _own_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _unquoted(text: str) -> str:
    """Remove quotes that were copied with the string."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _has_scheme(text: str) -> bool:
    return bool(re.match(r"[A-Za-z][A-Za-z0-9+._-]{0,20}://", text))
