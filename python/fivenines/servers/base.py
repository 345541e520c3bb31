"""A database server: one process on one host, with its configuration, life cycle and SQL."""

import contextlib
import subprocess
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import NODE, Host
from fivenines.servers.checksums import Dialect
from fivenines.servers.counters import CounterReader, SideReader
from fivenines.servers.external.by_odbc import Dialect as SqlDialect
from fivenines.servers.in_effect import Finding, unobserved
from fivenines.servers.lag import LagReader
from fivenines.servers.member import Member
from fivenines.servers.roles import Company, RoleReader
from fivenines.servers.secrets import Passwords
from fivenines.servers.session import Session
from fivenines.software.base import Engine

Value = str | int | float | bool
Rows = list[tuple[Any, ...]]

DATABASE = "sbtest"
# User of the load and of the ledger, with rights to read and write the data only.
APPLICATION = "app"

# User of replication and of the failover manager.
REPLICATION = "repl"


class Server(Member):
    """One database server."""

    port: int

    # Name of its SQL in fivenines-core; except with ODBC it is also the protocol.
    driver: SqlDialect

    # Account with all rights, used at the unix socket.
    administrator: str

    # File name of its unix socket.
    socket_name: ClassVar[str]

    # Whether its data contain a log that must be identical on all nodes of a lab.
    one_history: ClassVar[bool] = False

    # Settings for loading a data set: fast, but not crash-safe.
    unsafe_settings: ClassVar[dict[str, Value]]

    database: str = DATABASE

    @staticmethod
    @abstractmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return settings with which a commit waits for the server's disk (strict) or does not (relaxed)."""

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host)
        self.engine = engine
        # Passwords of its lab; by default new ones for this server.
        self.passwords = passwords or Passwords()
        # User settings that a data directory is created with.
        self.made_with: Mapping[str, Value] = {}
        # User and password of the load.
        self.application = (APPLICATION, self.passwords.application)

    @property
    def endpoint(self) -> str:
        """Return the address for clients in the lab: address:port."""
        return f"{self.host.address}:{self.port}"

    @property
    def client_endpoint(self) -> str:
        """Return its endpoint for clients, or its ODBC connection string."""
        return self.endpoint

    @property
    def watched_at(self) -> str:
        """Return the endpoint for the node watch: the path of its unix socket, outside the lab's network.

        For external servers host:port; empty if it cannot be watched.
        """
        return str(self.socket_folder() / self.socket_name)

    def own_address(self) -> list[str]:
        """Return how fivenines-core reaches it for the controller, independent of the load's path."""
        return ["--host", self.host.address, "--port", str(self.port)]

    def tls_flags(self) -> list[str]:
        """Return the TLS options of fivenines-core for the controller; none: its defaults."""
        return []

    @abstractmethod
    def initialise(self) -> None:
        """Create a data directory (initdb, mariadb-install-db) with the database and the accounts."""

    @abstractmethod
    def take_over(self) -> None:
        """Set this lab's passwords in a copied data directory before any client can connect."""

    @abstractmethod
    def configure(self, settings: Mapping[str, Value]) -> None:
        """Write the configuration file: the defaults, overridden by `settings`."""

    @abstractmethod
    def connect(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        """Open an administrator's DB-API connection through the unix socket, in autocommit."""

    @abstractmethod
    def ledger_rows(self, timeout: float = 30.0) -> Sequence[tuple[int, int | None]]:
        """Return the ledger's rows: id, and server time of the INSERT in us since 1970 (None: unknown).

        Returns None if the table itself is lost, as after a power loss.
        """

    @abstractmethod
    def effective_settings(self) -> dict[str, str]:
        """Return all settings of the running server, by name."""

    def in_effect(self, asked: Mapping[str, Value]) -> list[Finding]:
        """Return settings that are not in effect, and those that the server does not show.

        Raises:
            Exception: the driver's own, if the server does not answer.
        """
        return unobserved(self.name, asked, "it cannot be queried")

    @property
    def of_role(self) -> frozenset[str]:
        """Return the settings, by canonical names, that follow its role."""
        return frozenset()

    @abstractmethod
    def writable(self) -> bool:
        """Return whether it is writable now; False also if it does not answer."""

    @abstractmethod
    def finish_loading(self) -> None:
        """Finish a newly loaded data set: statistics for the planner, background work done."""

    @abstractmethod
    def prompt_command(self) -> list[str]:
        """Return the command line of an interactive SQL client on this node, run from outside the lab."""

    @abstractmethod
    def shell_command(self, dsn: str, address: str) -> str:
        """Return the command that opens the engine's own client as the application, from any shell.

        Args:
            dsn: leads to the writable node.
            address: one server (host:port), for clients that take no DSN.
        """

    @abstractmethod
    def batch_command(self) -> list[str]:
        """Return the command line, run from outside the lab, for SQL from stdin; it ends at an error."""

    @abstractmethod
    def open_data(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        """Open a connection like `connect`, in the database with the workload's tables."""

    @abstractmethod
    def clients(self) -> int:
        """Return the number of connected clients."""

    @abstractmethod
    def most_clients(self) -> int:
        """Return the largest number of clients that it accepts."""

    @abstractmethod
    def session(self, timeout: float) -> Session:
        """Return a lasting connection for many queries with this timeout; it connects at the first query."""

    @abstractmethod
    def counters(self) -> CounterReader:
        """Return the function that reads its counters through such a session."""

    def counters_alongside(self) -> SideReader | None:
        """Return the function that reads counters of other members through it; None: it knows none."""
        return None

    @abstractmethod
    def lag(self) -> LagReader:
        """Return the reader of its reported replication lag."""

    @abstractmethod
    def role_reader(self, company: Company | None) -> RoleReader:
        """Return what reads and changes the durability of its role.

        Args:
            company: when it is accompanied as a primary; None: this is not needed.
        """

    @abstractmethod
    def dialect(self) -> Dialect:
        """Return the SQL for checksums of its rows."""

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
            return self.query("SELECT 1") == [(1,)]
        return False

    def query(self, statement: str, timeout: float = 2.0) -> Rows:
        """Run one statement as administrator; return its rows, if any.

        Raises:
            Exception: the driver's own error.
        """
        with self.connect(timeout) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []

    def execute(self, *statements: str, timeout: float = 30.0) -> None:
        """Run statements one after another as administrator, on one connection.

        Raises:
            FiveninesError: a statement failed; with its text and the server's message.
        """
        statement = ""
        try:
            with self.connect(timeout) as connection, connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
        except FiveninesError:
            raise
        except Exception as error:
            message = f"{statement!r}: {error}" if statement else str(error)
            raise FiveninesError(self.passwords.hidden(f"{self.name}: {message}")) from error

    def run_file(self, file: Path) -> None:
        """Run a file of SQL statements in the workload's database.

        Raises:
            FiveninesError: a statement failed; with the client's last lines.
        """
        with file.open(encoding="utf-8") as text:
            done = subprocess.run(
                self.batch_command(), stdin=text, capture_output=True, text=True, check=False
            )
        if done.returncode != 0:
            raise FiveninesError(f"{file}: {done.stderr.strip()[-500:]}")

    def socket_folder(self) -> Path:
        """Return the folder of its unix socket, as seen from outside the lab."""
        return self.host.node / "run"


def inside(*parts: str) -> str:
    """Return a path in the host's own folder, as the host sees it."""
    return str(NODE.joinpath(*parts))
