"""A PostgreSQL server.

Every account has a password, over the network and at the unix socket (SCRAM-SHA-256): access to a socket is
not enough, whatever the modes of files are. `peer` would not work: a server in its own user namespace sees
all other accounts of the machine as the same id, which may be its own.
"""

import contextlib
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from fivenines.base.drivers import psycopg
from fivenines.base.errors import FiveninesError, brief
from fivenines.base.paths import short_path
from fivenines.servers import secrets
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Server, Value, inside
from fivenines.servers.counters import CounterReader
from fivenines.servers.in_effect import Finding
from fivenines.servers.incidents import LogReader
from fivenines.servers.postgres import versions
from fivenines.servers.postgres.checksums import PostgresDialect
from fivenines.servers.postgres.counters import PostgresCounters
from fivenines.servers.postgres.in_effect import IN_FILES, OF_ROLES, QUESTION, Observed, Parameter, findings
from fivenines.servers.postgres.incidents import log_reader
from fivenines.servers.postgres.lag import PostgresLag
from fivenines.servers.postgres.log_format import SETTINGS as LOG_SETTINGS
from fivenines.servers.postgres.roles import DECIDING, PostgresRoles
from fivenines.servers.postgres.session import PostgresSession
from fivenines.servers.roles import Company
from fivenines.servers.spelled import AT_INITDB, is_on, layered, plain

_DEFAULTS: dict[str, Value] = {
    # Not *: it would continue with IPv6 only if the port is in use.
    "listen_addresses": "0.0.0.0",
    "unix_socket_directories": inside("run"),
    # One layer of two; the other is passwords for all accounts.
    "unix_socket_permissions": "0700",
    "hba_file": inside("conf", "pg_hba.conf"),
    "shared_buffers": "128MB",
    "max_connections": 300,
    "max_wal_size": "1GB",
    "wal_level": "replica",
    "wal_log_hints": True,
    "max_wal_senders": 16,
    "max_replication_slots": 16,
    "hot_standby": True,
    "log_line_prefix": "%m [%p] ",
    "log_min_messages": "warning",
    "log_checkpoints": True,
    "log_lock_waits": True,
    "jit": False,
}
_HBA = ("local all all scram-sha-256", "local replication all scram-sha-256")
_FROM = "host all all {0} scram-sha-256\nhost replication all {0} scram-sha-256"
ADMINISTRATOR = "postgres"

# Default size of a log file, in MB.
_SEGMENT = 16

# The file in the data directory that makes the server a standby.
STANDBY_SIGNAL = "standby.signal"

# The file in which ALTER SYSTEM stores settings.
_AUTO_CONF = "postgresql.auto.conf"

# libpq's password file on every node, for standbys and tools.
PASSFILE = secrets.seen_inside("pgpass")


class Postgres(Server):
    """PostgreSQL 15 or newer."""

    driver = "postgres"
    administrator = ADMINISTRATOR
    one_history = True
    unsafe_settings = {"fsync": False, "synchronous_commit": False}  # noqa: RUF012
    port = 5432
    socket_name = f".s.PGSQL.{port}"
    uid = 65534

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return the settings (PostgreSQL manual, 19.5, synchronous_commit)."""
        return {"synchronous_commit": "on" if kind == "strict" else "off"}

    @property
    def log(self) -> Path:
        return self.host.node / "log" / "server.out"

    def initialise(self) -> None:
        secrets.write(self.host, "administrator", self.passwords.administrator)
        self.host.run(
            [
                self.engine.program("initdb"),
                "--pgdata",
                inside("data"),
                "--username",
                ADMINISTRATOR,
                "--auth",
                "scram-sha-256",
                "--pwfile",
                secrets.seen_inside("administrator"),
                "--encoding",
                "UTF8",
                "--locale",
                "C",
                "--no-sync",
                *self._at_initdb(),
            ],
            uid=self.uid,
        )
        self._run_alone(
            f"CREATE ROLE {APPLICATION} LOGIN",
            f"CREATE ROLE {REPLICATION} LOGIN SUPERUSER REPLICATION",
            f"CREATE DATABASE {DATABASE} OWNER {APPLICATION}",
            *self._passwords_set(),
        )

    def _at_initdb(self) -> list[str]:
        """Return arguments of initdb for settings that the data directory is created with."""
        given = {plain(name, "postgresql"): value for name, value in self.made_with.items()}
        arguments = []
        if (size := given.get("wal_segment_size")) is not None:
            arguments.append(f"--wal-segsize={segment_size(size)}")
        if (sums := given.get("data_checksums")) is not None:
            arguments.append("--data-checksums" if is_on(sums) else "--no-data-checksums")
        return arguments

    def take_over(self) -> None:
        self._run_alone(*self._passwords_set())

    def _passwords_set(self) -> list[str]:
        own, given = secrets.OWN_ROUNDS, self.passwords
        return [
            f"ALTER ROLE {user} PASSWORD '{secrets.scram_verifier(password, rounds)}'"
            for user, password, rounds in (
                (ADMINISTRATOR, given.administrator, own),
                (REPLICATION, given.replication, own),
                (APPLICATION, given.application, secrets.DRIVER_ROUNDS),
            )
        ]

    def _run_alone(self, *statements: str) -> None:
        """Run statements without a server that accepts connections (single-user mode, `postgres`(1)).

        Raises:
            FiveninesError: it failed; with its output.
        """
        self.host.data.close_to_others()
        self.configure({"fsync": False, "exit_on_error": True})
        program, *arguments = self.command()
        try:
            self.host.run(
                [program, "--single", *arguments, ADMINISTRATOR],
                uid=self.uid,
                stdin="\n".join(statements) + "\n",
            )
        except FiveninesError as error:
            # In the logs that are kept, like the messages of any other start.
            with self.log.open("a") as log:
                log.write(f"{error}\n")
            raise FiveninesError(f"{self.name}: the server did not start.\n{error}") from None

    def settings(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """Return the defaults, overridden by `given`."""
        return {**_DEFAULTS, **given}

    def configure(self, settings: Mapping[str, Value]) -> None:
        folder = self.host.node / "conf"
        merged = self.settings(layered("postgresql", self._made(), settings))
        lines = [f"{name} = {_quoted(value)}" for name, value in merged.items()]
        (folder / "postgresql.conf").write_text("\n".join(lines) + "\n")
        peers = [_FROM.format(peer) for peer in self.host.peers]
        (folder / "pg_hba.conf").write_text("\n".join([*_HBA, *peers]) + "\n")
        given = self.passwords
        known = {ADMINISTRATOR: given.administrator, REPLICATION: given.replication}
        secrets.write(self.host, "pgpass", secrets.pgpass({**known, APPLICATION: given.application}))

    def _made(self) -> dict[str, Value]:
        """Return settings that the data are created with and that the configuration contains, too."""
        given = {plain(name, "postgresql"): value for name, value in self.made_with.items()}
        own = {name: value for name, value in given.items() if name not in AT_INITDB}
        segment = segment_size(given.get("wal_segment_size", f"{_SEGMENT}MB"))
        if segment <= _SEGMENT:
            return own
        # As initdb would write them: less than two segments are refused.
        return {"min_wal_size": f"{5 * segment}MB", "max_wal_size": f"{64 * segment}MB", **own}

    def command(self, *arguments: str) -> list[str]:
        config = inside("conf", "postgresql.conf")
        program = self.engine.program("postgres")
        return [program, "-D", inside("data"), "-c", f"config_file={config}", *arguments]

    def start(self, *arguments: str) -> None:
        self.host.data.close_to_others()
        self.forget_the_dead()
        self.forget_durability()
        super().start(*arguments)

    def forget_the_dead(self) -> None:
        """Remove lock files left by a kill: their PID may by now belong to another process of the host."""
        self.host.data.remove("postmaster.pid")
        (self.socket_folder() / f"{self.socket_name}.lock").unlink(missing_ok=True)

    def forget_durability(self) -> None:
        """Reset durability to the configuration file, without ALTER SYSTEM's settings of a former role."""
        lines = self.host.data.read_text(_AUTO_CONF).splitlines(keepends=True)
        others = [line for line in lines if line.partition("=")[0].strip() not in DECIDING]
        if others != lines:
            self.host.data.write_text(_AUTO_CONF, "".join(others))

    def stop(self, timeout: float = 60.0) -> None:
        # SIGINT is the fast shutdown: it does not wait for clients (pg_ctl, manual 18.5).
        if self.process is not None:
            self.process.terminate(timeout, signal.SIGINT)

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0, database: str = ADMINISTRATOR) -> Iterator[Any]:
        with (
            short_path(self.socket_folder()) as folder,
            psycopg.connect(
                host=folder,
                user=ADMINISTRATOR,
                password=self.passwords.administrator,
                dbname=database,
                connect_timeout=max(2, round(timeout)),
                options=f"-c statement_timeout={round(timeout * 1000)}",
                autocommit=True,
            ) as connection,
        ):
            yield connection

    def open_data(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        return self.connect(timeout, self.database)

    def clients(self) -> int:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        ((number,),) = self.query(sql)
        return int(number)

    def most_clients(self) -> int:
        sql = "SELECT setting::int FROM pg_settings WHERE name = 'max_connections'"
        ((most,),) = self.query(sql)
        return int(most)

    def session(self, timeout: float) -> PostgresSession:
        return PostgresSession(self, timeout)

    def log_reader(self) -> LogReader:
        names = ", ".join(f"'{name}'" for name in LOG_SETTINGS)
        sql = f"SELECT name, setting FROM pg_settings WHERE name IN ({names})"
        try:
            return log_reader(dict(self.query(sql)))
        except Exception as error:  # drivers raise what they like
            why = f"its settings could not be read: {brief(error)}"
            return replace(log_reader({}), unseen=why)

    def counters(self) -> CounterReader:
        return PostgresCounters(self.database).read

    def lag(self) -> PostgresLag:
        return PostgresLag(self.name)

    def role_reader(self, company: Company | None) -> PostgresRoles:
        return PostgresRoles(company)

    def dialect(self) -> PostgresDialect:
        return PostgresDialect()

    def ledger_rows(self, timeout: float = 30.0) -> list[tuple[int, int]]:
        with self.connect(timeout, self.database) as connection:
            try:
                rows = connection.execute("SELECT id, executed_us FROM fivenines_ledger").fetchall()
            except psycopg.errors.UndefinedTable:
                return []
        return [(int(row[0]), int(row[1])) for row in rows]

    def is_standby(self) -> bool:
        """Return whether its data directory is that of a standby."""
        return self.host.data.exists(STANDBY_SIGNAL)

    def write_auto_conf(self, settings: Mapping[str, Value]) -> None:
        """Replace the settings of ALTER SYSTEM (or copied by pg_rewind); the server is stopped."""
        lines = [f"{name} = {_quoted(value)}" for name, value in settings.items()]
        self.host.data.write_text(_AUTO_CONF, "\n".join(lines) + "\n")

    def set_system(self, name: str, value: Value) -> None:
        """Run ALTER SYSTEM and reload: the setting survives a restart."""
        self.execute(f"ALTER SYSTEM SET {name} = {_quoted(value)}", "SELECT pg_reload_conf()")

    def rewind(self, source: "Postgres") -> None:
        """Rewind a crashed former primary to the history of `source` (pg_rewind, manual).

        Raises:
            FiveninesError: it could not be rewound; with pg_rewind's message.
        """
        self.forget_the_dead()
        version = versions.major(self.host.data.read_text("PG_VERSION"))
        if versions.promotion_needs_checkpoint(version):
            source.execute("CHECKPOINT")
        options = ["--config-file", inside("conf", "postgresql.conf")]
        if not versions.rewind_reads_configuration(version):
            # It cannot run crash recovery by itself then.
            program, *arguments = self.command()
            command = [program, "--single", *arguments, ADMINISTRATOR]
            self.host.run(command, uid=self.uid, timeout=120.0)
            options = ["--no-ensure-shutdown"]
        self.host.run(
            [
                self.engine.program("pg_rewind"),
                "--target-pgdata",
                inside("data"),
                *options,
                "--source-server",
                f"host={source.host.address} user={REPLICATION} dbname=postgres passfile={PASSFILE}",
            ],
            uid=self.uid,
            timeout=120.0,
        )

    def finish_loading(self) -> None:
        with self.connect(600.0, DATABASE) as connection:
            connection.execute("VACUUM (ANALYZE, FREEZE)")
            connection.execute("CHECKPOINT")

    def prompt_command(self) -> list[str]:
        return self.host.inside(self._client(ADMINISTRATOR), self.uid)

    def shell_command(self, dsn: str, address: str) -> str:
        return f'psql "{dsn}"'

    def batch_command(self) -> list[str]:
        # As the application, which must own the tables.
        options = ["-q", "-v", "ON_ERROR_STOP=1"]
        return self.host.inside([*self._client(APPLICATION), *options], self.uid)

    def _client(self, user: str) -> list[str]:
        where = f"host={inside('run')} user={user} dbname={DATABASE} passfile={PASSFILE}"
        return [self.engine.program("psql"), where]

    def effective_settings(self) -> dict[str, str]:
        return dict(self.query("SELECT name, setting FROM pg_settings ORDER BY name"))

    def in_effect(self, asked: Mapping[str, Value]) -> list[Finding]:
        parameters = {
            str(name): Parameter(str(value), unit, kind, source, bool(pending), file)
            for name, value, unit, kind, source, pending, file in self.query(QUESTION)
        }
        observed = Observed(parameters, self.query(OF_ROLES), dict(self.query(IN_FILES)))
        return findings(self.name, asked, observed)

    @property
    def of_role(self) -> frozenset[str]:
        return frozenset(("synchronous_standby_names", "synchronized_standby_slots"))

    def writable(self) -> bool:
        with contextlib.suppress(psycopg.Error):
            return self.query("SELECT pg_is_in_recovery()") == [(False,)]
        return False


def segment_size(value: Value) -> int:
    """Parse a wal_segment_size into MB, as initdb takes it.

    Raises:
        FiveninesError: it is invalid.
    """
    match = re.fullmatch(r"(\d+)\s*(B|kB|MB|GB)?", str(value).strip())
    unit = {None: 1, "B": 1, "kB": 2**10, "MB": 2**20, "GB": 2**30}[match[2]] if match else 1
    size = int(match[1]) * unit if match else 0
    if not size or size % 2**20:
        raise FiveninesError(
            f"server.wal_segment_size: {value!r} is invalid; write a power of two from 1MB to 1GB"
        )
    return size // 2**20


def _quoted(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return str(value)
    # In a configuration file the backslash is an escape, too (manual, 19.1.2).
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def conninfo(address: str, name: str) -> str:
    """Return a standby's connection string for its primary; `name`: its name in synchronous_standby_names."""
    return (
        # A standby queries the slots of subscribers in this database; replication itself needs none.
        f"host={address} port={Postgres.port} user={REPLICATION} passfile={PASSFILE} "
        f"dbname={ADMINISTRATOR} "
        f"application_name={name} connect_timeout=2 keepalives_idle=2 keepalives_interval=1 "
        "keepalives_count=3"
    )


def synchronous_names(standbys: Sequence[str], wait_for: int = 1, choice: str = "any") -> str:
    """Return synchronous_standby_names for `wait_for` of these standbys; empty for none.

    `choice`: `any` of them (quorum), or the `first` connected ones (priority).
    """
    return f"{choice.upper()} {wait_for} ({', '.join(standbys)})" if standbys else ""
