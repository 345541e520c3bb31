"""A database server: one process on one host, and the parts through which callers use it.

A part is an object with what one kind of caller needs. Not every server has each: see `Server`.
"""

import contextlib
import time
from abc import abstractmethod
from typing import ClassVar, Literal

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import NODE, Host
from fivenines.servers.console import Console
from fivenines.servers.external.by_odbc import Dialect as SqlDialect
from fivenines.servers.introspection import Introspection
from fivenines.servers.member import Member, unsupported
from fivenines.servers.monitoring import Monitoring
from fivenines.servers.secrets import Passwords
from fivenines.servers.setup import Setup, Value
from fivenines.servers.sql import Sql
from fivenines.software.base import Engine

DATABASE = "sbtest"
# User of the load and of the ledger, with rights to read and write the data only.
APPLICATION = "app"

# User of replication and of the failover manager.
REPLICATION = "repl"


class Server(Member):
    """One database server.

    Attributes:
        sql: connections and statements.
        monitoring: what observers read: counters, lag, settings.
    """

    port: int

    # Name of its SQL in fivenines-core; except with ODBC it is also the protocol.
    driver: SqlDialect

    # Account with all rights.
    administrator: str

    # Whether its data contain a log that must be identical on all nodes of a lab.
    one_history: ClassVar[bool] = False

    database: str = DATABASE

    sql: Sql
    monitoring: Monitoring

    # Parts that external servers lack: all of them, or those behind ODBC.
    _setup: Setup | None = None
    _introspection: Introspection | None = None
    _console: Console | None = None

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return settings with which a commit waits for the server's disk (strict) or does not (relaxed).

        By default, return none: the administrator of an external server decides.
        """
        return {}

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host)
        self.engine = engine
        # Passwords of its lab; by default new ones for this server.
        self.passwords = passwords or Passwords()
        # User and password of the load.
        self.application = (APPLICATION, self.passwords.application)

    @property
    def setup(self) -> Setup:
        """Return its data directory and configuration.

        Raises:
            FiveninesError: it is an external server.
        """
        return self._setup or unsupported(self)

    @property
    def introspection(self) -> Introspection:
        """Return its clients, the durability of its role, and the SQL for checksums.

        Raises:
            FiveninesError: it is an external server of any DBMS.
        """
        return self._introspection or unsupported(self)

    @property
    def console(self) -> Console:
        """Return the command lines of its own client.

        Raises:
            FiveninesError: it is an external server of any DBMS.
        """
        return self._console or unsupported(self)

    @property
    def endpoint(self) -> str:
        """Return the address for clients in the lab: address:port."""
        return f"{self.host.address}:{self.port}"

    @property
    def client_endpoint(self) -> str:
        """Return its endpoint for clients, or its ODBC connection string."""
        return self.endpoint

    @property
    @abstractmethod
    def watched_at(self) -> str:
        """Return the endpoint for the node watch: the path of its unix socket, outside the lab's network.

        For external servers host:port; empty if it cannot be watched.
        """

    def own_address(self) -> list[str]:
        """Return how fivenines-core reaches it for the controller, independent of the load's path."""
        return ["--host", self.host.address, "--port", str(self.port)]

    def tls_flags(self) -> list[str]:
        """Return the TLS options of fivenines-core for the controller; none: its defaults."""
        return []

    @abstractmethod
    def takes_writes(self) -> bool:
        """Return whether it is writable now.

        Raises:
            Exception: it did not answer.
        """

    def accepts_writes(self) -> bool | None:
        """Return whether it is writable now; None if it does not answer."""
        if self.frozen:
            return None
        with contextlib.suppress(Exception):
            return self.takes_writes()
        return None

    def writable(self) -> bool:
        """Return whether it is writable now; False also if it does not answer."""
        return self.accepts_writes() is True

    def wait_ready(self, timeout: float = 60.0) -> None:
        """Wait until it answers.

        Raises:
            FiveninesError: it ended or did not answer in time; with its last log lines.
        """
        deadline, pause = time.monotonic() + timeout, 0.02
        while time.monotonic() < deadline:
            if not self.alive:
                raise FiveninesError(f"{self.name}: the server did not start.\n{self.last_words()}")
            if self.answers():
                return
            time.sleep(pause)
            # A slow start (recovery, state transfer) must not cost the controller's CPU.
            pause = min(0.25, pause * 1.2)
        raise FiveninesError(
            f"{self.name}: the server did not answer within {timeout:g} s.\n{self.last_words()}"
        )

    def answers(self) -> bool:
        """Return whether it answers a query now."""
        if self.frozen:
            return False
        with contextlib.suppress(Exception):
            return self.sql.query("SELECT 1") == [(1,)]
        return False


def inside(*parts: str) -> str:
    """Return a path in the host's own folder, as the host sees it."""
    return str(NODE.joinpath(*parts))
