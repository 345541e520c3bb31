"""What a connection string comes to: an account, a database and the servers that have it."""

from dataclasses import dataclass, field
from typing import Literal

from fivenines.load import odbc
from fivenines.servers.session_options import NO_OPTIONS, SessionOptions

# Dialects of SQL; `odbc` while the dialect behind a connection string of ODBC is not known yet.
Driver = Literal["mysql", "postgres", "soliddb", "oracle", "sqlserver", "db2", "noop", "odbc"]

# No server at all: what the load generator itself can do.
NOOP = "noop://"

PORTS = {"mysql": 3306, "postgres": 5432}
TLS_MODES = ("disable", "prefer", "require", "verify-ca", "verify-full")


class WrongError(Exception):
    """What is wrong with a connection string, in words without its password."""


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
        session: what is asked of each session.
        answer_timeout: seconds that a client waits for an answer.
        tcp_user_timeout: seconds that sent data may stay unacknowledged.
        keepalive: as `--keepalive` has it.
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
