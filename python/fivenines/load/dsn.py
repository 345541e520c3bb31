"""Where a server is and who we are there: `mysql://user:password@host:port/database?option=value`, or
`odbc:` and a connection string of ODBC.

Several hosts are joined by commas; a host that begins with `%2F` is a unix socket. Options have the
names of libpq or of the MySQL client. The password never appears in a message, a `repr` or a
command line.
"""

import os
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, unquote

from fivenines.errors import UsageError
from fivenines.load import odbc

Driver = Literal["mysql", "postgres", "soliddb", "oracle", "sqlserver", "db2", "noop", "odbc"]
"""Dialects of SQL; `odbc` while nobody has asked which one is behind a connection string."""

NOOP = "noop://"
"""No server at all: what the load generator itself can do."""

_DRIVERS: dict[str, Driver] = {
    "mysql": "mysql",
    "mariadb": "mysql",
    "postgresql": "postgres",
    "postgres": "postgres",
    "noop": "noop",
}
PORTS = {"mysql": 3306, "postgres": 5432}
_PASSWORDS = {"mysql": "MYSQL_PWD", "postgres": "PGPASSWORD"}
_FORM = "mysql://user:password@host:port/database or postgresql://..."

TLS_MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")
_TLS = {
    **{mode: mode for mode in TLS_MODES},
    "allow": "prefer",  # libpq's, which encrypts where the server insists
    "disabled": "disable",
    "preferred": "prefer",
    "required": "require",
    "verify-identity": "verify-full",
}
_FIND = {"any": "any", "read-write": "writable", "primary": "writable", "prefer-standby": "any"}
_SPREAD = {"disable": "first", "random": "random"}
_OPTIONS = {
    "sslmode": "sslmode",
    "sslrootcert": "sslrootcert",
    "sslca": "sslrootcert",
    "connecttimeout": "connect_timeout",
    "targetsessionattrs": "target_session_attrs",
    "loadbalancehosts": "load_balance_hosts",
    "host": "host",
    "socket": "socket",
    "unixsocket": "socket",
}
_NAMES = "sslmode, sslrootcert, connect_timeout, target_session_attrs, load_balance_hosts, socket"


class _WrongError(Exception):
    """What is wrong with a DSN, in words without its password."""


@dataclass(frozen=True)
class Address:
    """Where one server listens: a host and port, the path of a unix socket, or a connection string of ODBC.

    Attributes:
        odbc: the connection string, without its password.
    """

    host: str
    port: int = 0
    socket: str = ""
    odbc: str = ""

    def __str__(self) -> str:
        """host:port, an IPv6 address in brackets; or the path; or `odbc:` and the connection string."""
        if self.odbc:
            return f"{odbc.PREFIX}{self.odbc}"
        if self.socket:
            return self.socket
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True)
class Dsn:
    """An account, a database, and the servers that have it. What is not asked for is empty.

    Attributes:
        addresses: candidates in their order, at least one, but for `noop`.
        tls: one of `TLS_MODES`.
        tls_ca: file with the authority that a server's certificate must come from.
        connect_timeout: seconds.
        find: whether any server will do, or one that takes writes.
        spread: which candidate connections start with.
    """

    driver: Driver
    user: str
    password: str = field(repr=False)
    addresses: tuple[Address, ...]
    database: str
    tls: str = ""
    tls_ca: str = ""
    connect_timeout: float = 0.0
    find: str = ""
    spread: str = ""

    @property
    def by_odbc(self) -> bool:
        """Whether drivers of ODBC make the connections."""
        return any(address.odbc for address in self.addresses)

    def __str__(self) -> str:
        if self.driver == "noop":
            return NOOP
        if self.by_odbc:
            return ", ".join(str(address) for address in self.addresses)
        scheme = "mysql" if self.driver == "mysql" else "postgresql"
        addresses = ",".join(str(address) for address in self.addresses)
        return f"{scheme}://{self.user}@{addresses}/{self.database}"


def parse_dsn(text: str) -> Dsn:
    """The DSN in a text; without a password in it, `$MYSQL_PWD`, `$PGPASSWORD` or `$ODBC_PWD` counts.

    Raises:
        UsageError: it is none; the message never shows the password.
    """
    if text[: len(odbc.PREFIX)].lower() == odbc.PREFIX:
        return _by_odbc(text[len(odbc.PREFIX) :])
    scheme, separator, rest = text.partition("://")
    driver = _DRIVERS.get(scheme.lower())
    if not separator or driver is None:
        found = f"the scheme {scheme!r}" if separator and _is_word(scheme) else "no known scheme"
        raise UsageError(f"the DSN has {found}: write {_FORM}")
    if driver == "noop":
        return Dsn("noop", "", "", (), "")
    try:
        return _parsed(driver, rest)
    except _WrongError as wrong:
        raise UsageError(f"DSN {redacted(text)}: {wrong}; write {_FORM}") from None


def parse_addresses(text: str, driver: Driver) -> tuple[Address, ...]:
    """Servers from `host:port,host:port`, where a path is a unix socket; or from a whole DSN.

    Raises:
        UsageError: a part is none.
    """
    if "://" in text or text.lower().startswith(odbc.PREFIX):
        return parse_dsn(text).addresses
    try:
        return _addresses(text, driver)
    except _WrongError as wrong:
        raise UsageError(f"{text!r}: {wrong}; write HOST:PORT,HOST:PORT or a DSN") from None


def redacted(text: str) -> str:
    """A DSN as it may be shown: all that might be a password is gone."""
    if text[: len(odbc.PREFIX)].lower() == odbc.PREFIX:
        try:
            kept, password = odbc.split_password(text[len(odbc.PREFIX) :])
        except odbc.ConnectionStringError:
            return f"{odbc.PREFIX}***"
        return f"{odbc.PREFIX}{kept}{'' if password is None else ';PWD=***'}"
    scheme, separator, rest = text.partition("://")
    if not separator:
        return "***"
    account, at, server = rest.rpartition("@")
    server, asked, _ = server.partition("?")
    options = "?..." if asked else ""  # somebody may have written a password there
    if not at:  # a password with a stray character may stand anywhere after a colon
        return f"{scheme}://{server.partition(':')[0]}" + (":***" if ":" in server else "")
    user = account.partition(":")[0]
    return f"{scheme}://{user}{':***' if ':' in account else ''}@{server}{options}"


def _by_odbc(text: str) -> Dsn:
    try:
        kept, password = odbc.split_password(text)
    except odbc.ConnectionStringError as wrong:
        raise UsageError(f"the DSN {odbc.PREFIX}***: {wrong}; write {odbc.FORM}") from None
    secret = os.environ.get("ODBC_PWD", "") if password is None else password
    return Dsn("odbc", "", secret, (Address("", odbc=kept),), "")


def _parsed(driver: Driver, rest: str) -> Dsn:
    authority, path, query = _split(rest)
    account, _, hosts = authority.rpartition("@")
    user, colon, password = account.partition(":")
    if not user:
        raise _WrongError("the user is missing")
    options = _options(query)
    addresses = _all_addresses(hosts, options, driver)
    if not (database := unquote(path)):
        raise _WrongError("the database is missing")
    if "\0" in unquote(account + path):
        raise _WrongError("it has a zero byte in it")
    secret = unquote(password) if colon else os.environ.get(_PASSWORDS[driver], "")
    return Dsn(
        driver, unquote(user), secret, addresses, database,
        tls=_chosen(options, "sslmode", _TLS),
        tls_ca=options.get("sslrootcert", ""),
        connect_timeout=_seconds(options),
        find=_chosen(options, "target_session_attrs", _FIND),
        spread=_chosen(options, "load_balance_hosts", _SPREAD),
    )  # fmt: skip


def _split(rest: str) -> tuple[str, str, str]:
    """Account and hosts, database, options. A stray `/`, `?` or `#` shows by an `@` behind it."""
    if "#" in rest:
        raise _WrongError("it has a `#` in it: in a password write %23")
    before, _, query = rest.partition("?")
    if "@" in query:
        raise _WrongError(
            "it has an `@` behind a `?`: in a password write %3F for `?`, in an option %40 for `@`"
        )
    authority, _, path = before.partition("/")
    if "@" in path:
        raise _WrongError(
            "it has an `@` behind a `/`: in a password write %2F, and a socket's path so: "
            "@%2Frun%2Fmysqld%2Fmysqld.sock"
        )
    if "/" in path:
        raise _WrongError("the database has a `/` in it: write %2F")
    return authority, path, query


def _options(query: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        known = _OPTIONS.get(re.sub("[-_]", "", name.lower()))
        if known is None:
            shown = f"the option {name!r}" if _is_word(name) else "an option"
            raise _WrongError(f"{shown} is not known, there are {_NAMES}")
        found[known] = value
    return found


def _all_addresses(hosts: str, options: dict[str, str], driver: Driver) -> tuple[Address, ...]:
    """The hosts before the database, else those that an option names."""
    named = options.get("socket") or options.get("host") or ""
    if hosts and named:
        raise _WrongError("it names hosts twice, before the database and as an option")
    return _addresses(hosts or named, driver)


def _addresses(text: str, driver: Driver) -> tuple[Address, ...]:
    addresses = tuple(_address(part.strip(), driver) for part in text.split(","))
    if len(set(addresses)) < len(addresses):
        raise _WrongError("it names a server twice")
    return addresses


def _address(text: str, driver: Driver) -> Address:
    if not text:
        raise _WrongError("the host is missing")
    if text.startswith(("/", "%2F", "%2f")):
        return _socket(text, driver)
    match = re.fullmatch(r"(?:\[(?P<v6>[^\[\]]*)\]|(?P<host>[^\[\]:]*))(?::(?P<port>[^:]*))?", text)
    if match is None:
        raise _WrongError("its host or port cannot be read (an IPv6 address stands in [ ])")
    host, written = unquote(match["v6"] or match["host"] or ""), match["port"]
    if not host:
        raise _WrongError("the host is missing")
    if not host.isprintable() or re.search(r"[\s/]", host):
        raise _WrongError("its host or port cannot be read")
    if not written:
        return Address(host, PORTS[driver])
    if not (written.isascii() and written.isdecimal() and 1 <= int(written[:6]) <= 65535):
        raise _WrongError("its host or port cannot be read: a port is a number from 1 to 65535")
    return Address(host, int(written))


def _socket(text: str, driver: Driver) -> Address:
    """A socket's path; PostgreSQL's is a folder with the port behind it, as libpq has it."""
    path, _, port = unquote(text).partition(":") if "%" in text else text.partition(":")
    if driver == "postgres" and ".s.PGSQL." not in path:
        path = f"{path.rstrip('/')}/.s.PGSQL.{port or PORTS['postgres']}"
    if not path.isprintable():
        raise _WrongError("the path of its socket cannot be read")
    return Address("", 0, path)


def _chosen(options: dict[str, str], name: str, words: dict[str, str]) -> str:
    if name not in options:
        return ""
    word = options[name].lower().replace("_", "-")
    if word not in words:
        raise _WrongError(f"{name} is one of {', '.join(words)}")
    return words[word]


def _seconds(options: dict[str, str]) -> float:
    text = options.get("connect_timeout", "")
    if not text:
        return 0.0
    if not re.fullmatch(r"\d{1,5}(\.\d{1,3})?", text, re.ASCII) or float(text) == 0:
        raise _WrongError("connect_timeout is a number of seconds above 0")
    return float(text)


def _is_word(text: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9+._-]{0,20}", text))
