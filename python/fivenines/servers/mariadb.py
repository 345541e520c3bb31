"""A MariaDB server."""

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pymysql
import pymysql.cursors

from fivenines.servers.base import (
    APPLICATION,
    DATABASE,
    REPLICATION,
    Server,
    Value,
    inside,
    short_path,
)

_SOCKET = "mysqld.sock"
_DEFAULTS: dict[str, Value] = {
    "datadir": inside("data"),
    "socket": inside("run", _SOCKET),
    "pid-file": inside("run", "mysqld.pid"),
    "log-error": inside("log", "error.log"),
    "bind-address": "0.0.0.0",
    "skip-name-resolve": True,
    "character-set-server": "utf8mb4",
    "innodb_buffer_pool_size": "128M",
    "innodb_log_file_size": "64M",
    "innodb_flush_log_at_trx_commit": 1,
    # io_uring and aio contexts are a shared, limited resource of the machine
    "innodb_use_native_aio": False,
    "binlog_format": "ROW",
    "max_connections": 300,
}


class Mariadb(Server):
    """MariaDB 10.11 or newer."""

    driver = "mysql"
    administrator = "root"
    socket_name = _SOCKET
    unsafe_settings = {"innodb_flush_log_at_trx_commit": 0, "innodb_doublewrite": False}  # noqa: RUF012
    port = 3306
    uid = 999

    @property
    def log(self) -> Path:
        return self.host.node / "log" / "error.log"

    def initialise(self) -> None:
        self.host.run(
            [
                self.engine.program("mariadb-install-db"), "--no-defaults", f"--datadir={inside('data')}",
                "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
                # there is no name to resolve in the lab
                "--force", "--innodb-log-file-size=64M", "--innodb-use-native-aio=0",
            ],
            uid=self.uid,
        )  # fmt: skip

    def prepare_accounts(self) -> None:
        (user, password), (replicator, secret) = APPLICATION, REPLICATION
        self.execute(
            f"CREATE DATABASE {DATABASE}",
            f"CREATE USER {user}@'%' IDENTIFIED BY '{password}'",
            # without READ_ONLY ADMIN, else read_only would not stop it
            f"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, REFERENCES, "
            f"CREATE ROUTINE, ALTER ROUTINE, EXECUTE ON {DATABASE}.* TO {user}@'%'",
            f"CREATE USER {replicator}@'%' IDENTIFIED BY '{secret}'",
            f"GRANT ALL ON *.* TO {replicator}@'%'",
        )

    def configure(self, settings: Mapping[str, Value]) -> None:
        merged = {**_DEFAULTS, **settings}
        lines = ["[mariadbd]", *(_line(name, value) for name, value in merged.items())]
        (self.host.node / "conf" / "my.cnf").write_text("\n".join(lines) + "\n")

    def command(self, *arguments: str) -> list[str]:
        config = inside("conf", "my.cnf")
        return [self.engine.program("mariadbd"), f"--defaults-file={config}", *arguments]

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        with short_path(self.socket_folder()) as folder:
            connection = pymysql.connect(
                unix_socket=f"{folder}/{_SOCKET}",
                user=self.administrator,
                # else a TLS context is built at every connect, for 30 ms of our CPU
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
        # the server ends the statement; without that, it would go on after we have hung up
        with self.connect(timeout + 2) as connection:
            connection.select_db(DATABASE)
            with connection.cursor() as cursor:
                cursor.execute(f"SET SESSION max_statement_time = {timeout:g}")
            yield connection

    def ledger_rows(self, timeout: float = 30.0) -> list[tuple[int, int]]:
        found = self.query(f"SELECT id, executed_us FROM {DATABASE}.fivenines_ledger", timeout)
        return [(int(row[0]), int(row[1])) for row in found]

    def finish_loading(self) -> None:
        # a slow shutdown purges and merges everything, so that a trial does not do it
        self.execute("SET GLOBAL innodb_fast_shutdown = 0")

    def prompt_command(self) -> list[str]:
        socket = f"--socket={inside('run', _SOCKET)}"
        return self.host.inside([self.engine.program("mariadb"), socket, DATABASE], None)

    def batch_command(self) -> list[str]:
        return self.prompt_command()

    def effective_settings(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.query("SHOW GLOBAL VARIABLES")}

    def status(self, *names: str) -> dict[str, str]:
        """Status variables of the running server, by name in lower case."""
        wanted = ", ".join(f"'{name}'" for name in names)
        rows = self.query(f"SHOW GLOBAL STATUS WHERE Variable_name IN ({wanted})")
        return {name.lower(): str(value) for name, value in rows}

    def replica_status(self) -> dict[str, Any]:
        """SHOW REPLICA STATUS as a mapping; empty when it follows nobody."""
        with self.connect() as connection, connection.cursor(pymysql.cursors.DictCursor) as cursor:
            cursor.execute("SHOW REPLICA STATUS")
            return dict(cursor.fetchone() or {})

    def galera(self) -> tuple[str, str, str] | None:
        """Cluster size, cluster status and own state, as Galera names them; None without an answer."""
        names = ("wsrep_cluster_size", "wsrep_cluster_status", "wsrep_local_state_comment")
        with contextlib.suppress(pymysql.Error):
            status = self.status(*names)
            size, cluster, own = (status.get(name, "") for name in names)
            return size, cluster, own
        return None

    def recover_position(self) -> str:
        """uuid:seqno of the last transaction in the data of a stopped Galera node; empty if unknown.

        As galera_recovery does it: the server prints it to its error log and ends.
        """
        log = inside("log", "recover.log")
        self.host.run(
            [*self.command("--wsrep-recover"), f"--log-error={log}"], uid=self.uid, timeout=60.0
        )
        text = (self.host.node / "log" / "recover.log").read_text(errors="replace")
        found = re.findall(r"Recovered position:?\s*(\S+:-?\d+)", text)
        return str(found[-1]) if found else ""

    def writable(self) -> bool:
        with contextlib.suppress(pymysql.Error):
            return self.query("SELECT @@global.read_only") == [(0,)]
        return False


def _line(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return f"{name}={'1' if value else '0'}"
    return f"{name}={value}"


WRITABLE = "SET GLOBAL read_only = 0"
SEMI_SYNC_PRIMARY = "SET GLOBAL rpl_semi_sync_master_enabled = 1"
FORMER_PRIMARY = (
    "SET GLOBAL rpl_semi_sync_master_enabled = 0",
    "SET GLOBAL gtid_slave_pos = @@global.gtid_current_pos",
)
"""Statements that a former primary needs before it follows another: it begins where its own log ends."""


def follow(primary: str) -> list[str]:
    """Statements that make a server the replica of the one at this address, read-only, by GTID."""
    user, password = REPLICATION
    return [
        "STOP SLAVE",
        "SET GLOBAL read_only = 1",
        f"CHANGE MASTER TO MASTER_HOST='{primary}', MASTER_USER='{user}', "
        f"MASTER_PASSWORD='{password}', MASTER_CONNECT_RETRY=1, MASTER_USE_GTID=slave_pos",
        "START SLAVE",
    ]
