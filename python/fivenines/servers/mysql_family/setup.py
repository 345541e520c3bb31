"""The data directory and the configuration of a MariaDB or MySQL server."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from fivenines.servers import option_file, secrets
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Value, inside
from fivenines.servers.local import LocalServer
from fivenines.servers.setup import Setup
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

SHARED = "all nodes share one machine"

# Those of `COMMON` that only fivenines needs, see `Setup.for_measuring`.
FOR_MEASURING = {
    "bind_address": "all hosts of the lab connect",
    "innodb_buffer_pool_size": SHARED,
    "innodb_use_native_aio": SHARED,
    "max_connections": "the load needs as many",
    "max_prepared_stmt_count": "the load needs as many",
}

# Rights of the application in its database: none that a read-only server would let pass.
DATA_RIGHTS = (
    "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, REFERENCES, CREATE ROUTINE, "
    "ALTER ROUTINE, EXECUTE"
)


class MysqlFamilySetup(Setup):
    """Accounts that the first start of a data directory creates, and one configuration file."""

    # Section of its options in a configuration file.
    section: ClassVar[str]

    defaults: ClassVar[dict[str, Value]]

    # Storage of passwords, as a clause of CREATE USER; empty: the server's default.
    hashing: ClassVar[str] = ""

    # Whether its data have to get this lab's passwords at the next start.
    _newly_owned = False

    def __init__(self, server: LocalServer) -> None:
        super().__init__()
        self._server = server

    def configure(self, settings: Mapping[str, Value]) -> None:
        merged = layered(self._server.engine.family, self.defaults, self.made_with, settings)
        lines = [f"[{self.section}]", *(option_line(name, value) for name, value in merged.items())]
        (self._server.host.node / "conf" / "my.cnf").write_text("\n".join(lines) + "\n")
        given = self._server.passwords
        for user, password in (
            (self._server.administrator, given.administrator),
            (REPLICATION, given.replication),
        ):
            text = secrets.client_options(user, password)
            secrets.write(self._server.host, f"{user}.cnf", text)

    def take_over(self) -> None:
        secrets.write(self._server.host, _ACCOUNTS, _lines([*self.unlogged, *self.passwords_set()]))
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
        given = self._server.passwords
        accounts = (
            (f"{self._server.administrator}@localhost", given.administrator),
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
        secrets.write(self._server.host, _ACCOUNTS, text)
        self._newly_owned = True

    def arguments_once(self) -> list[str]:
        """Return arguments that only the next start has: they set the accounts of new or copied data."""
        # Run before the server takes the first connection (manuals, init_file).
        own = [_SET_ACCOUNTS] if self._newly_owned else []
        self._newly_owned = False
        return own

    def let_others_start(self) -> None:
        """Move `arguments_once` into the configuration, as another program starts the server next."""
        if self._newly_owned:
            with (self._server.host.node / "conf" / "my.cnf").open("a") as file:
                file.write(f"{_SET_ACCOUNTS.removeprefix('--')}\n")
            self._newly_owned = False

    def finish_loading(self) -> None:
        # A slow shutdown purges and merges everything, so that a trial does not do it.
        self._server.sql.execute("SET GLOBAL innodb_fast_shutdown = 0")


_ACCOUNTS = "accounts.sql"
_SET_ACCOUNTS = f"--init-file={secrets.seen_inside(_ACCOUNTS)}"


def _lines(statements: list[str]) -> str:
    return "".join(f"{statement};\n" for statement in statements)


def option_line(name: str, value: Value) -> str:
    """Return the line of a configuration file for an option."""
    if isinstance(value, bool) and canonical(name, "mysql") == "log_bin":
        # With a value it would be the name of its files.
        wanted = value is not plain(name, "mysql").startswith(("skip_", "disable_"))
        return "log_bin" if wanted else "skip_log_bin"
    return f"{name}={option_file.written(as_option(name, value))}"
