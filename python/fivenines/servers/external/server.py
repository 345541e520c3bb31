"""External servers: queried over the network with an ordinary account, and never started or stopped.

Values that the account may not read are left out. Sources: PostgreSQL manual, "System Administration
Functions"; MariaDB and MySQL manuals, "SHOW REPLICA STATUS" and "GTID".
"""

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NoReturn

from fivenines.base.errors import FiveninesError, brief
from fivenines.lab.host import Host
from fivenines.servers.base import Server, Value
from fivenines.servers.external.remote import Target, open_mysql, open_postgres
from fivenines.servers.external.writable import why_not
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.positions import distance, parse_gtids
from fivenines.servers.postgres.server import Postgres
from fivenines.software.base import Engine, Family

# The tables that a trial creates, see `crates/load`.
LEDGER, PROBES = "fivenines_ledger", "fivenines_probes"

_SECRET_NAMES = re.compile(r"conninfo|passphrase|sst_auth|_command$|provider_options")
_SECRET_VALUES = re.compile(r"passw|pwd|secret|token", re.IGNORECASE)


class ExternalServer(Server):
    """Base of external servers of all kinds.

    Args:
        host: its name, and a folder for notes about it.
        engine: its kind of server.
        target: its address and the account.
    """

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return no settings: the administrator of the server decides."""
        return {}

    def __init__(self, host: Host, engine: Engine, target: Target) -> None:
        super().__init__(host, engine)
        self.target = target
        self.port = target.port
        self.application = (target.user, target.password)
        self.administrator = target.user
        self.database = target.database
        self.odbc = ""

    @property
    def endpoint(self) -> str:
        host = f"[{self.target.host}]" if ":" in self.target.host else self.target.host
        return f"{host}:{self.port}"

    @property
    def client_endpoint(self) -> str:
        return self.odbc or self.endpoint

    @property
    def alive(self) -> bool:
        """Return whether it answers; its process is not visible."""
        return self.answers()

    @property
    def watched_at(self) -> str:
        # The watch uses unencrypted connections over a network.
        return self.endpoint if self.target.tls in ("disable", "prefer") else ""

    def tls_flags(self) -> list[str]:
        authority = ["--tls-ca", self.target.tls_ca] if self.target.tls_ca else []
        return ["--tls", self.target.tls, *authority]

    def refusal(self) -> str:
        """Return why it does not answer now; empty if it does."""
        try:
            self.query("SELECT 1")
        except Exception as error:  # drivers raise what they like
            return brief(error)
        return ""

    def born(self) -> float | None:
        """Return its start in seconds since 1970, accurate to about a second; None without an answer."""
        raise NotImplementedError

    def follows(self) -> str:
        """Return why it is not a working member, as far as the account can see; empty if it is."""
        raise NotImplementedError

    def behind(self, primary: Server) -> str:
        """Return what it still has to apply of the primary's changes; empty if nothing."""
        raise NotImplementedError

    def after_loading(self) -> None:
        """Finish newly loaded tables."""

    def drop_own_tables(self) -> None:
        """Remove the tables that a trial has created in addition to the workload's."""
        with self.open_data(30.0) as connection, connection.cursor() as cursor:
            for table in (LEDGER, PROBES):
                cursor.execute(f"DROP TABLE IF EXISTS {table}")

    def run_file(self, file: Path) -> None:
        try:
            with self.open_data(3600.0) as connection, connection.cursor() as cursor:
                cursor.execute(file.read_text(encoding="utf-8"))
                while cursor.nextset():
                    pass
        except Exception as error:
            raise FiveninesError(f"{file}: {brief(error)}") from error

    def writable(self) -> bool:
        with contextlib.suppress(Exception):  # drivers raise what they like
            return not why_not(self.driver, self.query)
        return False

    def initialise(self) -> None:
        unsupported(self)

    def take_over(self) -> None:
        unsupported(self)

    def configure(self, settings: Mapping[str, Value]) -> None:
        unsupported(self)

    def command(self, *arguments: str) -> list[str]:
        unsupported(self)

    def start(self, *arguments: str) -> None:
        unsupported(self)

    def stop(self, timeout: float = 60.0) -> None:
        unsupported(self)

    def put_down(self) -> None:
        unsupported(self)


class ExternalPostgres(ExternalServer, Postgres):
    """An external PostgreSQL server."""

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0, database: str = "") -> Iterator[Any]:
        with contextlib.closing(open_postgres(self.target, timeout, timeout)) as connection:
            yield connection

    def effective_settings(self) -> dict[str, str]:
        return _without_secrets(super().effective_settings())

    def after_loading(self) -> None:
        with self.connect(600.0) as connection:
            connection.execute("ANALYZE")

    def born(self) -> float | None:
        with contextlib.suppress(Exception):
            ((moment,),) = self.query("SELECT extract(epoch FROM pg_postmaster_start_time())")
            return float(moment)
        return None

    def follows(self) -> str:
        ((recovering,),) = self.query("SELECT pg_is_in_recovery()")
        # Any account can see that there is a receiver, but not its state.
        if recovering and not self.query("SELECT 1 FROM pg_stat_get_wal_receiver() WHERE pid > 0"):
            return f"{self.name} receives from no server"
        return ""

    def behind(self, primary: Server) -> str:
        ((written,),) = primary.query("SELECT pg_current_wal_lsn()::text")
        ((left,),) = self.query(f"SELECT pg_last_wal_replay_lsn() - '{written}'::pg_lsn")
        return "" if left is None or left >= 0 else f"{self.name} has {-left} bytes to apply"


class _ExternalMysqlFamily(ExternalServer, MysqlFamily):
    """What MariaDB and MySQL have in common."""

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        connection = open_mysql(self.target, timeout, timeout)
        if self.target.tls == "prefer" and not connection.ssl:
            # TLS is not offered: trying it each time would cost a connection and CPU.
            self.target = replace(self.target, tls="disable")
        with contextlib.closing(connection):
            yield connection

    def effective_settings(self) -> dict[str, str]:
        return _without_secrets(super().effective_settings())

    def born(self) -> float | None:
        with contextlib.suppress(Exception):
            ((_, uptime),) = self.query("SHOW GLOBAL STATUS LIKE 'Uptime'")
            ((moment,),) = self.query("SELECT UNIX_TIMESTAMP()")
            return float(moment) - float(uptime)
        return None

    def follows(self) -> str:
        status = self._replica_status()
        for thread in ("IO", "SQL"):
            runs = status.get(f"Replica_{thread}_Running", status.get(f"Slave_{thread}_Running"))
            if runs not in (None, "Yes"):
                error = status.get(f"Last_{thread}_Error") or "it gives no reason"
                return f"{self.name}: its {thread} thread does not run: {error}"
        return ""

    def _replica_status(self) -> dict[str, Any]:
        """Return its state as a replica; empty if it is none, or the account may not see it."""
        with contextlib.suppress(Exception):
            return self.replica_status()
        return {}


class ExternalMariadb(_ExternalMysqlFamily, Mariadb):
    """An external MariaDB server, in a Galera cluster or not."""

    def follows(self) -> str:
        if not self._in_galera():
            return super().follows()
        state = self.galera()
        joined = state is not None and state[1:] == ("Primary", "Synced")
        return "" if joined else f"{self.name} is {state}"

    def behind(self, primary: Server) -> str:
        if self._in_galera():
            queue = self.status("wsrep_local_recv_queue").get("wsrep_local_recv_queue", "0")
            return "" if queue == "0" else f"{self.name} has {queue} write sets to apply"
        ((written,),) = primary.query("SELECT @@global.gtid_binlog_pos")
        ((applied,),) = self.query("SELECT @@global.gtid_current_pos")
        missing = gtids_missing(str(written or ""), str(applied or ""))
        return f"{self.name} is at {applied}, the primary at {written}" if missing else ""

    def _in_galera(self) -> bool:
        rows = self.query("SHOW GLOBAL VARIABLES LIKE 'wsrep_on'")
        return bool(rows) and rows[0][1] in ("ON", "1")


class ExternalMysql(_ExternalMysqlFamily, Mysql):
    """An external MySQL server."""

    def behind(self, primary: Server) -> str:
        ((written,),) = primary.query("SELECT @@global.gtid_executed")
        ((whole,),) = self.query(f"SELECT GTID_SUBSET('{written}', @@global.gtid_executed)")
        return "" if whole else f"{self.name} has not applied all of {written}"


def gtids_missing(written: str, applied: str) -> bool:
    """Return whether a MariaDB server at the position `applied` lacks part of `written`, by domain."""
    return distance(parse_gtids(written), parse_gtids(applied)) > 0


_KINDS: dict[Family, type[ExternalServer]] = {
    "postgresql": ExternalPostgres,
    "mariadb": ExternalMariadb,
    "mysql": ExternalMysql,
}


def external_server(host: Host, engine: Engine, target: Target) -> ExternalServer:
    """Return the object for an external server of this engine's family."""
    return _KINDS[engine.family](host, engine, target)


def _without_secrets(settings: Mapping[str, str]) -> dict[str, str]:
    """Hide settings that may contain a password."""
    return {
        name: "***" if value and (_SECRET_NAMES.search(name) or _SECRET_VALUES.search(value)) else value
        for name, value in settings.items()
    }


def unsupported(server: Server) -> NoReturn:
    """Raise the error for operations that external servers do not support."""
    raise FiveninesError(f"{server.name} is an external server: fivenines neither starts nor stops it")
