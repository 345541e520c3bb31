"""The result of parsing a connection string: an account, a database and its servers."""

from dataclasses import dataclass, field
from typing import Literal

from fivenines.load import odbc
from fivenines.servers.session_options import NO_OPTIONS, SessionOptions

# SQL dialects; `odbc` while the dialect of an ODBC server is not known yet.
Driver = Literal["mysql", "postgres", "soliddb", "oracle", "sqlserver", "db2", "noop", "odbc"]

# No server, for testing the load generator itself.
NOOP = "noop://"

PORTS = {"mysql": 3306, "postgres": 5432}
TLS_MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")


class WrongError(Exception):
    """An error in a connection string; the message never has the password."""


class FormError(WrongError):
    """A part of a connection string is missing or malformed: the whole form is worth showing."""


# Options in their order: name, value.
Pairs = list[tuple[str, str]]


@dataclass
class Written:
    """The parts of a connection string.

    Attributes:
        form: the client that defines its options: uri, libpq, jdbc-postgresql, jdbc-mysql, jdbc-mariadb, go,
            net or client.
        hosts: servers as written; empty: named by options.
        options: all options in order.
        account: user, password and database of the address. Options of the same names override them.
        notes: what the form leaves open, and how it was understood.
    """

    driver: Driver
    form: str
    hosts: str = ""
    options: Pairs = field(default_factory=list)
    account: Pairs = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Address:
    """The address of a server: host and port, the path of a Unix socket, or an ODBC connection string.

    Attributes:
        odbc: the connection string, without its password.
    """

    host: str
    port: int = 0
    socket: str = ""
    odbc: str = ""

    def __str__(self) -> str:
        """Format host:port (IPv6 addresses in brackets), the path, or `odbc:` and the connection string."""
        if self.odbc:
            return f"{odbc.PREFIX}{self.odbc}"
        if self.socket:
            return self.socket
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True)
class Dsn:
    """An account, a database, and its servers. Options that are not set are empty.

    Attributes:
        addresses: candidates in their order, at least one, but for `noop`.
        tls: one of `TLS_MODES`.
        tls_ca: file with the CA certificate.
        connect_timeout: seconds.
        find: `any` server or a `writable` one.
        spread: the candidate that a connection tries first.
        session: options of each session.
        answer_timeout: seconds that a client waits for an answer.
        tcp_user_timeout: seconds that sent data may stay unacknowledged.
        keepalive: in the form of `--keepalive`.
        notes: a sentence for each option that has no effect here.
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
    session: SessionOptions = NO_OPTIONS
    answer_timeout: float = 0.0
    tcp_user_timeout: float = 0.0
    keepalive: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def by_odbc(self) -> bool:
        """Return whether ODBC drivers connect."""
        return any(address.odbc for address in self.addresses)

    def __str__(self) -> str:
        if self.driver == "noop":
            return NOOP
        if self.by_odbc:
            return ", ".join(str(address) for address in self.addresses)
        scheme = "mysql" if self.driver == "mysql" else "postgresql"
        addresses = ",".join(str(address) for address in self.addresses)
        return f"{scheme}://{self.user}@{addresses}/{self.database}"
