"""External servers of the families that fivenines knows.

Sources: PostgreSQL manual, "System Administration Functions"; MariaDB and MySQL manuals, "SHOW REPLICA
STATUS" and "GTID".
"""

import contextlib
from pathlib import Path
from typing import Any
from uuid import uuid4

from fivenines.base.drivers import pymysql
from fivenines.base.errors import brief
from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.external.monitoring import (
    ExternalMariadbMonitoring,
    ExternalMysqlMonitoring,
    ExternalPostgresMonitoring,
)
from fivenines.servers.external.remote import Target
from fivenines.servers.external.server import ExternalServer
from fivenines.servers.external.sql import ExternalMysqlFamilySql, ExternalPostgresSql
from fivenines.servers.incidents import LogReader
from fivenines.servers.mariadb import server as mariadb
from fivenines.servers.mariadb.galera import galera_state
from fivenines.servers.mariadb.introspection import mariadb_introspection
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql import server as mysql
from fivenines.servers.mysql.introspection import mysql_introspection
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.mysql_family.console import MysqlFamilyConsole
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.positions import distance, parse_gtids
from fivenines.servers.postgres.console import PostgresConsole
from fivenines.servers.postgres.incidents import log_reader_of
from fivenines.servers.postgres.introspection import PostgresIntrospection
from fivenines.servers.postgres.server import Postgres
from fivenines.software.base import Engine, Family


class ExternalPostgres(ExternalServer):
    """An external PostgreSQL server."""

    driver = Postgres.driver

    def __init__(self, host: Host, engine: Engine, target: Target) -> None:
        super().__init__(host, engine, target)
        self.sql = ExternalPostgresSql(self)
        self.monitoring = ExternalPostgresMonitoring(self)
        self._introspection = PostgresIntrospection(self)
        self._console = PostgresConsole(self)

    def log_reader(self) -> LogReader:
        return log_reader_of(self.sql)

    def after_loading(self) -> None:
        with self.sql.connect(600.0) as connection:
            connection.execute("ANALYZE")

    def born(self) -> float | None:
        with contextlib.suppress(Exception):
            ((moment,),) = self.sql.query("SELECT extract(epoch FROM pg_postmaster_start_time())")
            return float(moment)
        return None

    def same_as(self, other: ExternalServer) -> bool:
        # To the microsecond; a standby has the primary's system identifier, but not its start.
        statement = "SELECT pg_postmaster_start_time()"
        with contextlib.suppress(Exception):
            return bool(self.sql.query(statement) == other.sql.query(statement))
        return False

    def follows(self) -> str:
        ((recovering,),) = self.sql.query("SELECT pg_is_in_recovery()")
        # Any account can see that there is a receiver, but not its state.
        if recovering and not self.sql.query("SELECT 1 FROM pg_stat_get_wal_receiver() WHERE pid > 0"):
            return f"{self.name} receives from no server"
        return ""

    def behind(self, primary: Server) -> str:
        ((written,),) = primary.sql.query("SELECT pg_current_wal_lsn()::text")
        ((left,),) = self.sql.query(f"SELECT pg_last_wal_replay_lsn() - '{written}'::pg_lsn")
        return "" if left is None or left >= 0 else f"{self.name} has {-left} bytes to apply"


class _ExternalMysqlFamily(ExternalServer):
    """What MariaDB and MySQL have in common."""

    driver = MysqlFamily.driver

    sql: ExternalMysqlFamilySql

    @property
    def log(self) -> Path:
        return self.host.node / "log" / "error.log"

    def born(self) -> float | None:
        with contextlib.suppress(Exception):
            ((_, uptime),) = self.sql.query("SHOW GLOBAL STATUS LIKE 'Uptime'")
            ((moment,),) = self.sql.query("SELECT UNIX_TIMESTAMP()")
            return float(moment) - float(uptime)
        return None

    def same_as(self, other: ExternalServer) -> bool:
        # Names, numbers and folders of servers in containers may be equal; a lock is of one server.
        name = f"fivenines-{uuid4()}"
        with contextlib.suppress(Exception), self.sql.connect() as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT GET_LOCK('{name}', 0)")
            ((holder,),) = other.sql.query(f"SELECT IS_USED_LOCK('{name}')")
            return holder is not None
        return False

    def follows(self) -> str:
        status = self._replica_status()
        for thread in ("IO", "SQL"):
            runs = status.get(f"Replica_{thread}_Running", status.get(f"Slave_{thread}_Running"))
            if runs not in (None, "Yes"):
                error = status.get(f"Last_{thread}_Error") or "it gives no reason"
                return f"{self.name}: its {thread} thread does not run: {error}"
        return ""

    def _astray(self, primary: Server, status: dict[str, Any] | None = None) -> str:
        """Return which other server it follows, in words that end a sentence; empty if none is known.

        MySQL's fail-back of a list of sources leads a replica away from the primary while both threads run.
        """
        status = self._replica_status() if status is None else status
        named = _named(status)
        # 0: it has never reached its source.
        followed = int(status.get(f"{named}_Server_Id") or 0)
        ((number,),) = primary.sql.query("SELECT @@global.server_id")
        if followed in (0, int(number)):
            return ""
        at = f"{status[f'{named}_Host']}:{status[f'{named}_Port']}"
        return f"; it follows {at}, not {primary.name}, the primary"

    def _replica_status(self) -> dict[str, Any]:
        """Return its state as a replica; empty if it is none, or the account may not see it."""
        with contextlib.suppress(Exception):
            return self.sql.replica_status()
        return {}


class ExternalMariadb(_ExternalMysqlFamily):
    """An external MariaDB server, in a Galera cluster or not."""

    def __init__(self, host: Host, engine: Engine, target: Target) -> None:
        super().__init__(host, engine, target)
        self.sql = ExternalMysqlFamilySql(self, mariadb.statement_limit)
        self.monitoring = ExternalMariadbMonitoring(self)
        self._introspection = mariadb_introspection(self)
        self._console = MysqlFamilyConsole(self, Mariadb.client_program, Mariadb.client_options)

    def follows(self) -> str:
        if not self._in_galera():
            return super().follows()
        state = galera_state(self.sql)
        joined = state is not None and state[1:] == ("Primary", "Synced")
        return "" if joined else f"{self.name} is {state}"

    def behind(self, primary: Server) -> str:
        if self._in_galera():
            queue = self.sql.status("wsrep_local_recv_queue").get("wsrep_local_recv_queue", "0")
            return "" if queue == "0" else f"{self.name} has {queue} write sets to apply"
        ((written,),) = primary.sql.query("SELECT @@global.gtid_binlog_pos")
        ((applied,),) = self.sql.query("SELECT @@global.gtid_current_pos")
        if not gtids_missing(str(written or ""), str(applied or "")):
            return ""
        return f"{self.name} is at {applied}, the primary at {written}{self._astray(primary)}"

    def _in_galera(self) -> bool:
        rows = self.sql.query("SHOW GLOBAL VARIABLES LIKE 'wsrep_on'")
        return bool(rows) and rows[0][1] in ("ON", "1")


class ExternalMysql(_ExternalMysqlFamily):
    """An external MySQL server."""

    def __init__(self, host: Host, engine: Engine, target: Target) -> None:
        super().__init__(host, engine, target)
        self.sql = ExternalMysqlFamilySql(self, mysql.statement_limit)
        self.monitoring = ExternalMysqlMonitoring(self)
        self._introspection = mysql_introspection(self)
        self._console = MysqlFamilyConsole(self, Mysql.client_program, Mysql.client_options)

    def behind(self, primary: Server) -> str:
        ((written, mode),) = primary.sql.query("SELECT @@global.gtid_executed, @@global.gtid_mode")
        if str(mode).startswith("OFF"):
            # Its set of transactions stays as it is, so it would never be behind.
            return self._behind_in_files(primary)
        ((whole,),) = self.sql.query(f"SELECT GTID_SUBSET('{written}', @@global.gtid_executed)")
        return "" if whole else f"{self.name} has not applied all of {written}{self._astray(primary)}"

    def _behind_in_files(self, primary: Server) -> str:
        """Return what it still has to apply, by the primary's binary log."""
        try:
            written = _binary_log(primary)
            status = self.sql.replica_status()
        except Exception as error:  # drivers raise what they like
            return (
                f"{self.name}: whether it has applied everything is unknown, as gtid_mode is OFF and its "
                f"position is not shown to this account: GRANT REPLICATION CLIENT ({brief(error)})"
            )
        if not status:
            return f"{self.name} follows no server"
        if astray := self._astray(primary, status):
            return f"{self.name}: without GTIDs its position does not compare with the primary's{astray}"
        named = _named(status)
        applied = (str(status[f"Relay_{named}_Log_File"]), int(status[f"Exec_{named}_Log_Pos"]))
        return "" if applied >= written else f"{self.name} is at {applied}, the primary at {written}"


def _named(status: dict[str, Any]) -> str:
    """Return how the server calls its source: MySQL's words changed in 8.0.22."""
    return "Source" if "Source_Server_Id" in status else "Master"


def _binary_log(primary: Server) -> tuple[str, int]:
    """Return the end of a server's binary log: file and position."""
    try:
        rows = primary.sql.query("SHOW BINARY LOG STATUS")
    except pymysql.err.ProgrammingError:  # its name before MySQL 8.2
        rows = primary.sql.query("SHOW MASTER STATUS")
    return str(rows[0][0]), int(rows[0][1])


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
