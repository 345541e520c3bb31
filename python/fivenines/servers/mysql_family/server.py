"""Common parts of MariaDB and MySQL servers: one protocol, one client library, one format of options."""

import contextlib
import shlex
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from fivenines.base.drivers import pymysql
from fivenines.base.paths import short_path
from fivenines.lab.processes.process import tail
from fivenines.servers import secrets
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Server, Value, inside
from fivenines.servers.in_effect import Finding
from fivenines.servers.mysql_family.in_effect import Observed, findings
from fivenines.servers.mysql_family.session import MysqlFamilySession
from fivenines.servers.spelled import as_option, canonical, layered, plain

SOCKET = "mysqld.sock"

# Default size of the buffer pool.
POOL = "128M"

# Settings that both have, with the same values.
COMMON: dict[str, Value] = {
    "datadir": inside("data"),
    "socket": inside("run", SOCKET),
    "pid-file": inside("run", "mysqld.pid"),
    "log-error": inside("log", "error.log"),
    "bind-address": "0.0.0.0",
    "skip-name-resolve": True,
    "character-set-server": "utf8mb4",
    "innodb_buffer_pool_size": POOL,
    "innodb_flush_log_at_trx_commit": 1,
    # io_uring and aio contexts are a shared, limited resource of the machine.
    "innodb_use_native_aio": False,
    "max_connections": 300,
    # It costs nothing; the default of 16,382 ends a load of 800 connections that prepare 20 statements each.
    "max_prepared_stmt_count": 1048576,
}

# Rights of the application in its database: none that a read-only server would let pass.
DATA_RIGHTS = (
    "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, REFERENCES, CREATE ROUTINE, "
    "ALTER ROUTINE, EXECUTE"
)


class MysqlFamily(Server):
    """A server with the MySQL protocol."""

    driver = "mysql"
    administrator = "root"
    socket_name = SOCKET
    port = 3306
    uid = 999

    server_program: ClassVar[str]
    client_program: ClassVar[str]
    # Options of its client for users, in addition to account and address.
    client_options: ClassVar[tuple[str, ...]] = ()

    # Section of its options in a configuration file.
    section: ClassVar[str]

    defaults: ClassVar[dict[str, Value]]

    # Storage of passwords, as a clause of CREATE USER; empty: the server's default.
    hashing: ClassVar[str] = ""

    # Whether its data have to get this lab's passwords at the next start.
    _newly_owned = False

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return the settings (manuals on innodb_flush_log_at_trx_commit and sync_binlog)."""
        strict = kind == "strict"
        return {"innodb_flush_log_at_trx_commit": 1 if strict else 2, "sync_binlog": 1 if strict else 0}

    @property
    def log(self) -> Path:
        return self.host.node / "log" / "error.log"

    def configure(self, settings: Mapping[str, Value]) -> None:
        merged = layered(self.engine.family, self.defaults, self.made_with, settings)
        lines = [f"[{self.section}]", *(_line(name, value) for name, value in merged.items())]
        (self.host.node / "conf" / "my.cnf").write_text("\n".join(lines) + "\n")
        given = self.passwords
        for user, password in ((self.administrator, given.administrator), (REPLICATION, given.replication)):
            text = secrets.client_options(user, password)
            secrets.write(self.host, f"{user}.cnf", text)

    def command(self, *arguments: str) -> list[str]:
        config = inside("conf", "my.cnf")
        return [self.engine.program(self.server_program), f"--defaults-file={config}", *arguments]

    def take_over(self) -> None:
        secrets.write(self.host, _ACCOUNTS, _lines([*self.unlogged, *self.passwords_set()]))
        self._newly_owned = True

    @property
    @abstractmethod
    def unlogged(self) -> list[str]:
        """Return statements after which a session's changes affect this server only."""

    @property
    @abstractmethod
    def rights(self) -> list[str]:
        """Return statements that give the accounts their rights."""

    def passwords_set(self) -> list[str]:
        """Return statements that set the password of each account."""
        given = self.passwords
        accounts = (
            (f"{self.administrator}@localhost", given.administrator),
            (f"{APPLICATION}@'%'", given.application),
            (f"{REPLICATION}@'%'", given.replication),
        )
        return [
            f"ALTER USER {account} IDENTIFIED {self.hashing}BY '{password}'" for account, password in accounts
        ]

    def make_accounts(self) -> None:
        """Let the first start of a new data directory create the database and the accounts."""
        made = [
            f"CREATE DATABASE {DATABASE}",
            f"CREATE USER {APPLICATION}@'%'",
            f"CREATE USER {REPLICATION}@'%'",
            *self.rights,
        ]
        text = _lines([*self.unlogged, *made, *self.passwords_set()])
        secrets.write(self.host, _ACCOUNTS, text)
        self._newly_owned = True

    def start(self, *arguments: str) -> None:
        # Run before the server takes the first connection (manuals, init_file).
        own = [_SET_ACCOUNTS] if self._newly_owned else []
        self._newly_owned = False
        super().start(*arguments, *own)

    def let_others_start(self) -> None:
        """Move the arguments of `start` into the configuration, as another program starts the server next."""
        if self._newly_owned:
            with (self.host.node / "conf" / "my.cnf").open("a") as file:
                file.write(f"{_SET_ACCOUNTS.removeprefix('--')}\n")
            self._newly_owned = False

    @abstractmethod
    def statement_limit(self, seconds: float) -> str:
        """Return the statement that makes the server end a session's queries after this time."""

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        with short_path(self.socket_folder()) as folder:
            connection = pymysql.connect(
                unix_socket=f"{folder}/{SOCKET}",
                user=self.administrator,
                password=self.passwords.administrator,
                # Otherwise a TLS context is built at every connect, for 30 ms of CPU.
                ssl_disabled=True,
                connect_timeout=max(1, round(timeout)),
                read_timeout=max(1, round(timeout)),
                write_timeout=max(1, round(timeout)),
                autocommit=True,
            )
        with connection:
            yield connection

    @contextlib.contextmanager
    def open_data(self, timeout: float = 2.0) -> Iterator[Any]:
        # The server ends the statement, which would otherwise continue after a disconnect.
        with self.connect(timeout + 2) as connection:
            connection.select_db(self.database)
            with connection.cursor() as cursor:
                cursor.execute(self.statement_limit(timeout))
            yield connection

    def clients(self) -> int:
        ((_, value),) = self.query("SHOW GLOBAL STATUS LIKE 'Threads_connected'")
        return int(value)

    def most_clients(self) -> int:
        ((most,),) = self.query("SELECT @@global.max_connections")
        return int(most)

    def session(self, timeout: float) -> MysqlFamilySession:
        return MysqlFamilySession(self, timeout)

    def ledger_rows(self, timeout: float = 30.0) -> list[tuple[int, int]]:
        try:
            rows = self.query(f"SELECT id, executed_us FROM `{self.database}`.fivenines_ledger", timeout)
        except pymysql.err.ProgrammingError as error:
            if error.args[0] != pymysql.constants.ER.NO_SUCH_TABLE:
                raise
            return []
        return [(int(row[0]), int(row[1])) for row in rows]

    def finish_loading(self) -> None:
        # A slow shutdown purges and merges everything, so that a trial does not do it.
        self.execute("SET GLOBAL innodb_fast_shutdown = 0")

    def prompt_command(self) -> list[str]:
        options = secrets.seen_inside(f"{self.administrator}.cnf")
        client = [self.engine.program(self.client_program), f"--defaults-extra-file={options}"]
        return self.host.inside([*client, f"--socket={inside('run', SOCKET)}", DATABASE], None)

    def shell_command(self, dsn: str, address: str) -> str:
        user, password = self.application
        host, _, port = address.rpartition(":")
        where = [f"-h{host}", f"-P{port}", f"-u{user}", f"-p{password}"]
        return shlex.join([self.client_program, *where, *self.client_options, self.database])

    def batch_command(self) -> list[str]:
        return self.prompt_command()

    def effective_settings(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.query("SHOW GLOBAL VARIABLES")}

    def in_effect(self, asked: Mapping[str, Value]) -> list[Finding]:
        variables = {name.lower(): value for name, value in self.effective_settings().items()}
        plugins = self.query(
            "SELECT PLUGIN_NAME, PLUGIN_STATUS, COALESCE(PLUGIN_LIBRARY, '') FROM information_schema.PLUGINS"
        )
        observed = Observed(
            variables,
            self.sources(),
            frozenset(str(library) for _, status, library in plugins if status == "ACTIVE"),
            {str(name).lower(): status == "ACTIVE" for name, status, _ in plugins},
            self._warnings(),
        )
        return findings(self.name, asked, observed)

    @property
    def of_role(self) -> frozenset[str]:
        return _OF_ROLE

    @abstractmethod
    def sources(self) -> dict[str, str]:
        """Return the origin, in words, of variables that the configuration file does not set."""

    def _warnings(self) -> tuple[str, ...]:
        lines = tail(self.log, 400).splitlines()
        words = ("[Warning]", "[ERROR]", "[Note] Buffered")
        return tuple(line.strip() for line in lines if any(word in line for word in words))

    def status(self, *names: str) -> dict[str, str]:
        """Return status variables of the running server, by name in lower case."""
        quoted = ", ".join(f"'{name}'" for name in names)
        rows = self.query(f"SHOW GLOBAL STATUS WHERE Variable_name IN ({quoted})")
        return {name.lower(): str(value) for name, value in rows}

    def replica_status(self) -> dict[str, Any]:
        """Return SHOW REPLICA STATUS by column; empty if it follows no primary."""
        with self.connect() as connection, connection.cursor(pymysql.cursors.DictCursor) as cursor:
            try:
                cursor.execute("SHOW REPLICA STATUS")
            except pymysql.err.ProgrammingError:  # its name before MySQL 8.0.22 and MariaDB 10.5
                cursor.execute("SHOW SLAVE STATUS")
            return dict(cursor.fetchone() or {})

    def writable(self) -> bool:
        with contextlib.suppress(pymysql.Error):
            # MariaDB 12 answers with words.
            return self.query("SELECT CONCAT(@@global.read_only) IN ('0', 'OFF')") == [(1,)]
        return False


_OF_ROLE = frozenset(
    (
        "read_only",
        "super_read_only",
        *(f"rpl_semi_sync_{side}_enabled" for side in ("master", "slave", "source", "replica")),
    )
)

_ACCOUNTS = "accounts.sql"
_SET_ACCOUNTS = f"--init-file={secrets.seen_inside(_ACCOUNTS)}"


def _lines(statements: list[str]) -> str:
    return "".join(f"{statement};\n" for statement in statements)


def _line(name: str, value: Value) -> str:
    if isinstance(value, bool) and canonical(name, "mysql") == "log_bin":
        # With a value it would be the name of its files.
        wanted = value is not plain(name, "mysql").startswith(("skip_", "disable_"))
        return "log_bin" if wanted else "skip_log_bin"
    return f"{name}={as_option(name, value)}"
