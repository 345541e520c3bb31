"""A PostgreSQL server.

Every account has a password, over the network and at the unix socket (SCRAM-SHA-256): access to a socket is
not enough, whatever the modes of files are. `peer` would not work: a server in its own user namespace sees
all other accounts of the machine as the same id, which may be its own.
"""

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from fivenines.lab.host import Host
from fivenines.servers.base import REPLICATION, Value, inside
from fivenines.servers.incidents import LogReader
from fivenines.servers.local import LocalServer
from fivenines.servers.postgres import versions
from fivenines.servers.postgres.accounts import ADMINISTRATOR, PASSFILE, UID
from fivenines.servers.postgres.console import PostgresConsole
from fivenines.servers.postgres.incidents import log_reader_of
from fivenines.servers.postgres.introspection import PostgresIntrospection
from fivenines.servers.postgres.monitoring import PostgresMonitoring
from fivenines.servers.postgres.roles import DECIDING
from fivenines.servers.postgres.setup import PostgresSetup, setting_value
from fivenines.servers.postgres.sql import LocalPostgresSql
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine

# The file in the data directory that makes the server a standby.
STANDBY_SIGNAL = "standby.signal"

# The file in which ALTER SYSTEM stores settings.
_AUTO_CONF = "postgresql.auto.conf"


class Postgres(LocalServer):
    """PostgreSQL 15 or newer."""

    driver = "postgres"
    administrator = ADMINISTRATOR
    one_history = True
    unsafe_settings = {"fsync": False, "synchronous_commit": False}  # noqa: RUF012
    port = 5432
    socket_name = f".s.PGSQL.{port}"
    uid = UID

    sql: LocalPostgresSql
    _setup: PostgresSetup

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return the settings (PostgreSQL manual, 19.5, synchronous_commit)."""
        return {"synchronous_commit": "on" if kind == "strict" else "off"}

    def __init__(self, host: Host, engine: Engine, passwords: Passwords | None = None) -> None:
        super().__init__(host, engine, passwords)
        self.sql = LocalPostgresSql(self)
        self.monitoring = PostgresMonitoring(self)
        self._setup = PostgresSetup(self)
        self._introspection = PostgresIntrospection(self)
        self._console = PostgresConsole(self)

    @property
    def setup(self) -> PostgresSetup:
        return self._setup

    @property
    def log(self) -> Path:
        return self.host.node / "log" / "server.out"

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

    def log_reader(self) -> LogReader:
        return log_reader_of(self.sql)

    def takes_writes(self) -> bool:
        return self.sql.query("SELECT pg_is_in_recovery()") == [(False,)]

    def is_standby(self) -> bool:
        """Return whether its data directory is that of a standby."""
        return self.host.data.exists(STANDBY_SIGNAL)

    def write_auto_conf(self, settings: Mapping[str, Value]) -> None:
        """Replace the settings of ALTER SYSTEM (or copied by pg_rewind); the server is stopped."""
        lines = [f"{name} = {setting_value(value)}" for name, value in settings.items()]
        self.host.data.write_configuration(_AUTO_CONF, "\n".join(lines) + "\n")

    def set_system(self, name: str, value: Value) -> None:
        """Run ALTER SYSTEM and reload: the setting survives a restart."""
        self.sql.execute(f"ALTER SYSTEM SET {name} = {setting_value(value)}", "SELECT pg_reload_conf()")

    def copy_from(self, source: "Postgres") -> None:
        """Replace the data directory of a stopped server by a new copy of another's (pg_basebackup, manual).

        Raises:
            FiveninesError: it failed, and the data directory is as it was; with pg_basebackup's message.
        """
        copy = inside("data", _COPY)
        self.host.commands.run(["rm", "-rf", copy], uid=self.uid)
        self.host.commands.run(
            [
                self.engine.program("pg_basebackup"),
                "--pgdata",
                copy,
                "--checkpoint=fast",
                "--dbname",
                f"host={source.host.address} user={REPLICATION} passfile={PASSFILE}",
            ],
            uid=self.uid,
            timeout=_LONGEST_COPY,
        )
        self.host.commands.run(["sh", "-ec", _REPLACE, "sh", inside("data"), _COPY], uid=self.uid)

    def rewind(self, source: "Postgres") -> None:
        """Rewind a crashed former primary to the history of `source` (pg_rewind, manual).

        A rewind that failed has spent the data directory: killed early, it leaves a server that would start
        as a primary, and killed late, one without the log that a second one needs (seen with 18.6).

        Raises:
            FiveninesError: it could not be rewound; with pg_rewind's message.
        """
        self.forget_the_dead()
        version = versions.major(self.host.data.read_text("PG_VERSION"))
        if versions.promotion_needs_checkpoint(version):
            source.sql.execute("CHECKPOINT")
        options = ["--config-file", inside("conf", "postgresql.conf")]
        if not versions.rewind_reads_configuration(version):
            # It cannot run crash recovery by itself then.
            program, *arguments = self.command()
            command = [program, "--single", *arguments, ADMINISTRATOR]
            self.host.commands.run(command, uid=self.uid, timeout=120.0)
            options = ["--no-ensure-shutdown"]
        self.host.commands.run(
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


# A new copy, within the data directory, until it replaces the rest.
_COPY = "fivenines-copy"
_REPLACE = """
cd "$1"
find . -mindepth 1 -maxdepth 1 ! -name "$2" -exec rm -rf {} +
find "$2" -mindepth 1 -maxdepth 1 -exec mv {} . \\;
rmdir "$2"
"""
_LONGEST_COPY = 3600.0


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
