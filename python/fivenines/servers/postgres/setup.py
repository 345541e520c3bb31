"""The data directory and the configuration of a PostgreSQL server."""

import re
from collections.abc import Mapping
from typing import ClassVar

from fivenines.base.errors import FiveninesError
from fivenines.servers import secrets
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Value, inside
from fivenines.servers.local import LocalServer
from fivenines.servers.postgres.accounts import ADMINISTRATOR
from fivenines.servers.setup import Setup
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
_LOG = "it reads the log"
_SHARED = "all nodes share one machine"

_FOR_MEASURING = {
    "listen_addresses": "all hosts of the lab connect",
    "unix_socket_permissions": "its observers connect here",
    "shared_buffers": _SHARED,
    "max_wal_size": _SHARED,
    "max_connections": "the load needs as many",
    "log_line_prefix": _LOG,
    "log_min_messages": _LOG,
    "log_checkpoints": _LOG,
    "log_lock_waits": _LOG,
    "jit": "steady times of statements",
}
_HBA = ("local all all scram-sha-256", "local replication all scram-sha-256")
_FROM = "host all all {0} scram-sha-256\nhost replication all {0} scram-sha-256"

# Default size of a log file, in MB.
_SEGMENT = 16


class PostgresSetup(Setup):
    """initdb, and statements in single-user mode."""

    for_measuring: ClassVar[Mapping[str, str]] = _FOR_MEASURING

    def __init__(self, server: LocalServer) -> None:
        super().__init__()
        self._server = server

    def initialise(self) -> None:
        secrets.write(self._server.host, "administrator", self._server.passwords.administrator)
        self._server.host.commands.run(
            [
                self._server.engine.program("initdb"),
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
            uid=self._server.uid,
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
        own, given = secrets.OWN_ROUNDS, self._server.passwords
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
        self._server.host.data.close_to_others()
        self.configure({"fsync": False, "exit_on_error": True})
        program, *arguments = self._server.command()
        try:
            self._server.host.commands.run(
                [program, "--single", *arguments, ADMINISTRATOR],
                uid=self._server.uid,
                stdin="\n".join(statements) + "\n",
            )
        except FiveninesError as error:
            # In the logs that are kept, like the messages of any other start.
            with self._server.log.open("a") as log:
                log.write(f"{error}\n")
            raise FiveninesError(f"{self._server.name}: the server did not start.\n{error}") from None

    def settings(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """Return the defaults, overridden by `given`."""
        return {**_DEFAULTS, **given}

    def configure(self, settings: Mapping[str, Value]) -> None:
        folder = self._server.host.node / "conf"
        merged = self.settings(layered("postgresql", self._made(), settings))
        lines = [f"{name} = {setting_value(value)}" for name, value in merged.items()]
        (folder / "postgresql.conf").write_text("\n".join(lines) + "\n")
        peers = [_FROM.format(peer) for peer in self._server.host.peers]
        (folder / "pg_hba.conf").write_text("\n".join([*_HBA, *peers]) + "\n")
        given = self._server.passwords
        known = {ADMINISTRATOR: given.administrator, REPLICATION: given.replication}
        secrets.write(self._server.host, "pgpass", secrets.pgpass({**known, APPLICATION: given.application}))

    def _made(self) -> dict[str, Value]:
        """Return settings that the data are created with and that the configuration contains, too."""
        given = {plain(name, "postgresql"): value for name, value in self.made_with.items()}
        own = {name: value for name, value in given.items() if name not in AT_INITDB}
        segment = segment_size(given.get("wal_segment_size", f"{_SEGMENT}MB"))
        if segment <= _SEGMENT:
            return own
        # As initdb would write them: less than two segments are refused.
        return {"min_wal_size": f"{5 * segment}MB", "max_wal_size": f"{64 * segment}MB", **own}

    def finish_loading(self) -> None:
        with self._server.sql.open_data(600.0) as connection:
            connection.execute("VACUUM (ANALYZE, FREEZE)")
            connection.execute("CHECKPOINT")


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


def setting_value(value: Value) -> str:
    """Return a value as a configuration file and ALTER SYSTEM take it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return str(value)
    # In a configuration file the backslash is an escape, too (manual, 19.1.2).
    # A line break would end the line within the quotes (guc-file.l); YAML's block forms end with one.
    text = value.rstrip("\n").replace("\\", "\\\\").replace("\n", "\\n").replace("'", "''")
    return f"'{text}'"
