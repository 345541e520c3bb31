"""A database server: one process on one host, its configuration, its life and its SQL."""

import contextlib
import subprocess
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from fivenines.errors import FiveninesError
from fivenines.lab.host import NODE, Host
from fivenines.servers.by_odbc import Dialect as SqlDialect
from fivenines.servers.checksums import Dialect
from fivenines.servers.counters import CounterReader, SideReader
from fivenines.servers.delay import DelayReader
from fivenines.servers.in_effect import Finding
from fivenines.servers.member import Member
from fivenines.servers.roles import Company, RoleReader
from fivenines.servers.secrets import Passwords
from fivenines.servers.session import Session
from fivenines.software.base import Engine

Value = str | int | float | bool
Rows = list[tuple[Any, ...]]

DATABASE = "sbtest"
APPLICATION = "app"
"""The user of the load, and of the ledger. May read and write the data, nothing else."""

REPLICATION = "repl"
"""The user of replication and of the failover manager."""


class Server(Member):
    """One database server."""

    port: int

    driver: SqlDialect
    """What fivenines-core calls its SQL; but by ODBC it is its protocol, too."""

    administrator: str
    """The account that may do everything; it is used at the unix socket."""

    socket_name: ClassVar[str]
    """The file name of its unix socket."""

    one_history: ClassVar[bool] = False
    """Whether its data carry a log that must be the same on all nodes of a lab, byte by byte."""

    unsafe_settings: ClassVar[dict[str, Value]]
    """Settings under which a data set is loaded: quick, and not safe against a crash."""

    database: str = DATABASE

    @staticmethod
    @abstractmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Settings under which a commit waits for this server's disk (strict), or does not (relaxed)."""

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host)
        self.engine = engine
        self.passwords = passwords or Passwords()
        """Those of its lab; without any it gets its own."""
        self.made_with: Mapping[str, Value] = {}
        """Settings that a person gives and that a data directory is made with."""
        self.application = (APPLICATION, self.passwords.application)
        """User and password of the load."""

    @property
    def endpoint(self) -> str:
        """Where clients in the lab reach it: address:port."""
        return f"{self.host.address}:{self.port}"

    @property
    def client_endpoint(self) -> str:
        """Where clients reach it: its endpoint, or by ODBC a connection string."""
        return self.endpoint

    @property
    def watched_at(self) -> str:
        """Where the node watch asks it: the path of its unix socket, beside the lab's network.

        Of a server that others run host:port; empty where it cannot be watched.
        """
        return str(self.socket_folder() / self.socket_name)

    def own_address(self) -> list[str]:
        """How fivenines-core reaches it for us, beside the load's way."""
        return ["--host", self.host.address, "--port", str(self.port)]

    def tls_flags(self) -> list[str]:
        """How fivenines-core encrypts when it speaks to it for us; none: as it does by itself."""
        return []

    @abstractmethod
    def initialise(self) -> None:
        """Make a data directory (initdb, mariadb-install-db) with the database and the accounts."""

    @abstractmethod
    def take_over(self) -> None:
        """Let a copied data directory have this lab's passwords before anybody can connect."""

    @abstractmethod
    def configure(self, settings: Mapping[str, Value]) -> None:
        """Write the configuration file: our defaults, overlaid by `settings`."""

    @abstractmethod
    def connect(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        """An administrator's DB-API connection through the unix socket; autocommit."""

    @abstractmethod
    def ledger_rows(self, timeout: float = 30.0) -> Sequence[tuple[int, int | None]]:
        """The ledger's rows: id, and when the server executed the INSERT, in us since 1970 (None: not asked).

        None where it has lost the table itself, as with its power.
        """

    @abstractmethod
    def effective_settings(self) -> dict[str, str]:
        """All settings of the running server, by name."""

    def in_effect(self, asked: Mapping[str, Value]) -> list[Finding]:
        """The settings that are not in effect as they were asked for, and those that it does not show.

        Raises:
            Exception: the driver's own, where it does not answer.
        """
        return [
            Finding(self.name, name, str(value), "", "unobserved", "nobody can ask for it")
            for name, value in asked.items()
        ]

    @property
    def of_role(self) -> frozenset[str]:
        """The settings, by canonical names, that change with its role: who is primary decides."""
        return frozenset()

    @abstractmethod
    def writable(self) -> bool:
        """Whether it takes writes now; False also when it does not answer."""

    @abstractmethod
    def finish_loading(self) -> None:
        """What a freshly loaded data set wants: statistics for the planner, nothing left to do."""

    @abstractmethod
    def prompt_command(self) -> list[str]:
        """The command line of an interactive SQL client on this node, run from outside the lab."""

    @abstractmethod
    def shell_command(self, dsn: str, address: str) -> str:
        """What a person types to open the engine's own client as the application, from any shell.

        `dsn` leads to who takes writes; `address` is one server, host:port, for clients that take no DSN.
        """

    @abstractmethod
    def batch_command(self) -> list[str]:
        """The command line, run from outside the lab, that runs SQL from stdin; ends at an error."""

    @abstractmethod
    def open_data(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        """As `connect`, in the database with the workload's tables."""

    @abstractmethod
    def clients(self) -> int:
        """How many clients are logged in now."""

    @abstractmethod
    def most_clients(self) -> int:
        """How many it lets in at a time."""

    @abstractmethod
    def session(self, timeout: float) -> Session:
        """A connection for many questions, each bounded by the time-out; it connects at the first."""

    @abstractmethod
    def counters(self) -> CounterReader:
        """What reads its counters through such a session."""

    def counters_alongside(self) -> SideReader | None:
        """What reads the counters of the members beside the nodes through it; None: it knows none."""
        return None

    @abstractmethod
    def delay(self) -> DelayReader:
        """What reads the replication delay that it tells."""

    @abstractmethod
    def role_reader(self, company: Company | None) -> RoleReader:
        """What reads and changes the durability of its role; `company`: when it is not alone as a primary.

        None: nobody wants to know whether it is.
        """

    @abstractmethod
    def dialect(self) -> Dialect:
        """How it is asked for checksums of its rows."""

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
            # a slow start (recovery, state transfer) must not cost the controller's CPU
            pause = min(0.25, pause * 1.2)
        raise FiveninesError(
            f"{self.name}: the server did not answer within {timeout:g} s.\n{self.last_words()}"
        )

    def answers(self) -> bool:
        """Whether it answers a query now."""
        if self.frozen:
            return False
        with contextlib.suppress(Exception):
            return self.query("SELECT 1") == [(1,)]
        return False

    def query(self, statement: str, timeout: float = 2.0) -> Rows:
        """Run one statement as administrator; its rows, if it has any.

        Raises:
            Exception: the driver's own error.
        """
        with self.connect(timeout) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []

    def execute(self, *statements: str, timeout: float = 30.0) -> None:
        """Run statements one after another as administrator, on one connection.

        Raises:
            FiveninesError: one failed; with the statement and the server's message.
        """
        statement = ""
        try:
            with self.connect(timeout) as connection, connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
        except FiveninesError:
            raise
        except Exception as error:
            said = f"{statement!r}: {error}" if statement else str(error)
            raise FiveninesError(self.passwords.hidden(f"{self.name}: {said}")) from error

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
        """The folder of its unix socket, as seen from outside the lab."""
        return self.host.node / "run"


def inside(*parts: str) -> str:
    """A path in the host's own folder, as the host sees it."""
    return str(NODE.joinpath(*parts))
