"""Servers that others run: asked over the network by an ordinary account, and never started or stopped by us.

What an account may not read is not known, and then left out. Sources: PostgreSQL manual, "System
Administration Functions"; MariaDB and MySQL manuals, "SHOW REPLICA STATUS" and "GTID".
"""

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NoReturn

from fivenines.errors import FiveninesError, brief
from fivenines.lab.host import Host
from fivenines.servers.base import Server, Value
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.positions import distance, parse_gtids
from fivenines.servers.postgres.server import Postgres
from fivenines.servers.remote import Target, open_mysql, open_postgres
from fivenines.servers.writable import why_not
from fivenines.software.base import Engine, Family

LEDGER, PROBES = "fivenines_ledger", "fivenines_probes"
"""The tables that a trial makes, see `crates/load`."""

_SECRET_NAMES = re.compile(r"conninfo|passphrase|sst_auth|_command$|provider_options")
_SECRET_VALUES = re.compile(r"passw|pwd|secret|token", re.IGNORECASE)


class ExternalServer(Server):
    """What servers of all kinds have in common that others run.

    Args:
        host: its name, and a folder for what is noted about it.
        engine: which kind of server it is.
        target: where it is, and the account.
    """

    @staticmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Its settings are those of whoever runs it."""
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
        """Whether it answers: whether a process runs behind that is not ours to see."""
        return self.answers()

    @property
    def watched_at(self) -> str:
        # the watch speaks clear text over a network
        return self.endpoint if self.target.tls in ("disable", "prefer") else ""

    def tls_flags(self) -> list[str]:
        authority = ["--tls-ca", self.target.tls_ca] if self.target.tls_ca else []
        return ["--tls", self.target.tls, *authority]

    def refusal(self) -> str:
        """Why it does not answer us now; empty if it does."""
        try:
            self.query("SELECT 1")
        except Exception as error:  # drivers raise what they like
            return brief(error)
        return ""

    def born(self) -> float | None:
        """When it was started, in seconds since 1970 to about one; None without an answer."""
        raise NotImplementedError

    def follows(self) -> str:
        """Why it is not a working member, as far as the account may see it; empty if it is."""
        raise NotImplementedError

    def behind(self, primary: Server) -> str:
        """What it still has to apply of what the primary has; empty when nothing."""
        raise NotImplementedError

    def after_loading(self) -> None:
        """What freshly loaded tables want."""

    def drop_own_tables(self) -> None:
        """Remove the tables that a trial has made beside those of the workload."""
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
        not_ours(self)

    def take_over(self) -> None:
        not_ours(self)

    def configure(self, settings: Mapping[str, Value]) -> None:
        not_ours(self)

    def command(self, *arguments: str) -> list[str]:
        not_ours(self)

    def start(self, *arguments: str) -> None:
        not_ours(self)

    def stop(self, timeout: float = 60.0) -> None:
        not_ours(self)

    def put_down(self) -> None:
        not_ours(self)


class ExternalPostgres(ExternalServer, Postgres):
    """A PostgreSQL server that others run."""

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
        # of a receiver everybody may see that it is there, not what it does
        if recovering and not self.query("SELECT 1 FROM pg_stat_get_wal_receiver() WHERE pid > 0"):
            return f"{self.name} receives from nobody"
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
            # TLS is not offered: to try it again each time would cost a connection and our CPU
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
        found = self._replica_status()
        for thread in ("IO", "SQL"):
            runs = found.get(f"Replica_{thread}_Running", found.get(f"Slave_{thread}_Running"))
            if runs not in (None, "Yes"):
                error = found.get(f"Last_{thread}_Error") or "it does not say why"
                return f"{self.name}: its {thread} thread does not run: {error}"
        return ""

    def _replica_status(self) -> dict[str, Any]:
        """Its state as a replica; empty if it is none, or the account may not see it."""
        with contextlib.suppress(Exception):
            return self.replica_status()
        return {}


class ExternalMariadb(_ExternalMysqlFamily, Mariadb):
    """A MariaDB server that others run, in a Galera cluster or not."""

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
    """A MySQL server that others run."""

    def behind(self, primary: Server) -> str:
        ((written,),) = primary.query("SELECT @@global.gtid_executed")
        ((whole,),) = self.query(f"SELECT GTID_SUBSET('{written}', @@global.gtid_executed)")
        return "" if whole else f"{self.name} has not applied all of {written}"


def gtids_missing(written: str, applied: str) -> bool:
    """Whether a MariaDB server at the position `applied` lacks something of `written`, by domain."""
    return distance(parse_gtids(written), parse_gtids(applied)) > 0


_KINDS: dict[Family, type[ExternalServer]] = {
    "postgresql": ExternalPostgres,
    "mariadb": ExternalMariadb,
    "mysql": ExternalMysql,
}


def external_server(host: Host, engine: Engine, target: Target) -> ExternalServer:
    """A server of this engine's family that others run."""
    return _KINDS[engine.family](host, engine, target)


def _without_secrets(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings as they may be written down: those that may carry a password are hidden."""
    return {
        name: "***" if value and (_SECRET_NAMES.search(name) or _SECRET_VALUES.search(value)) else value
        for name, value in settings.items()
    }


def not_ours(server: Server) -> NoReturn:
    """Raise what is said where something was to be done with a server that others run."""
    raise FiveninesError(f"{server.name} is not fivenines' own: it is neither started nor stopped here")
