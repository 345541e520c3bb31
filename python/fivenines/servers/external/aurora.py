"""Servers of Amazon Aurora and of Multi-AZ clusters of RDS, observed through SQL.

Replicas of Aurora share the primary's storage, so they have no replication threads and no positions. A table
or function of Aurora shows the writer and the lag of each replica. Servers of a Multi-AZ cluster replicate
like any others, and have neither. Sources: Amazon Aurora user guide, "Aurora MySQL-specific
information_schema tables", "aurora_replica_status"; MySQL manual, "innodb_read_only".
"""

from collections.abc import Callable, Iterator
from contextlib import suppress

from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.external.kinds import ExternalMysql, ExternalPostgres
from fivenines.servers.external.monitoring import ExternalMysqlMonitoring, ExternalPostgresMonitoring
from fivenines.servers.external.remote import Target
from fivenines.servers.external.server import ExternalServer
from fivenines.servers.lag import LagReader, LagRow
from fivenines.servers.session import Session
from fivenines.software.base import Engine

# Aurora's session id of the instance that writes.
WRITER = "MASTER_SESSION_ID"

# A replica with less lag has caught up, as Aurora rounds: 10 to 20 ms are usual.
AT_EASE_MS = 100.0

# Aurora MySQL's tables with its replicas, in current and older versions: instance, session and lag in ms.
OF_MYSQL = {
    "information_schema.replica_host_status": ("SERVER_ID", "SESSION_ID", "REPLICA_LAG_IN_MILLISECONDS"),
    "mysql.ro_replica_status": ("server_id", "session_id", "replica_lag_in_msec"),
}

_OF_POSTGRES = "SELECT server_id, session_id, replica_lag_in_msec FROM aurora_replica_status()"


class _Aurora(ExternalServer):
    """What both have in common; `status`: the statement about the replicas, or empty."""

    _status: str | None = None

    def status_statement(self) -> str:
        """Return the statement that lists the replicas; empty: this server is not Aurora."""
        if self._status is None:
            self._status = self._statement()
        return self._status

    def _statement(self) -> str:
        raise NotImplementedError

    def lags(self) -> dict[str, float | None]:
        """Return the lag of each replica in ms, as this server knows it."""
        rows = self.sql.query(self.status_statement())
        return {
            str(name): None if lag is None else float(lag) for name, session, lag in rows if session != WRITER
        }


class AuroraMysql(_Aurora, ExternalMysql):
    """Aurora MySQL, or MySQL of a Multi-AZ cluster."""

    def __init__(self, host: Host, engine: Engine, target: Target) -> None:
        super().__init__(host, engine, target)
        self.monitoring = _MysqlMonitoring(self)

    def follows(self) -> str:
        return _listed(self) if self.status_statement() else super().follows()

    def behind(self, primary: Server) -> str:
        return _lagging(self, primary) if self.status_statement() else super().behind(primary)

    def _statement(self) -> str:
        for table, (server, session, lag) in OF_MYSQL.items():
            schema, name = table.split(".")
            if self.sql.query(
                "SELECT 1 FROM information_schema.tables "
                f"WHERE table_schema = '{schema}' AND LOWER(table_name) = '{name}'"
            ):
                return f"SELECT {server}, {session}, {lag} FROM {table}"
        return ""


class AuroraPostgres(_Aurora, ExternalPostgres):
    """Aurora PostgreSQL, or PostgreSQL of a Multi-AZ cluster."""

    def __init__(self, host: Host, engine: Engine, target: Target) -> None:
        super().__init__(host, engine, target)
        self.monitoring = _PostgresMonitoring(self)

    @property
    def watched_at(self) -> str:
        # The watch queries a position, which Aurora refuses without logical replication.
        return "" if self.engine.name == "aurora-postgresql" else super().watched_at

    def follows(self) -> str:
        return _listed(self) if self.status_statement() else super().follows()

    def behind(self, primary: Server) -> str:
        return _lagging(self, primary) if self.status_statement() else super().behind(primary)

    def _statement(self) -> str:
        rows = self.sql.query("SELECT 1 FROM pg_proc WHERE proname = 'aurora_replica_status'")
        return _OF_POSTGRES if rows else ""


class AuroraLag(LagReader):
    """A replica's lag as Aurora reports it, under the name of its metric (CloudWatch: AuroraReplicaLag).

    Args:
        name: node name, which is the identifier of its instance.
        statement: the statement about all replicas.
    """

    def __init__(self, name: str, statement: str) -> None:
        super().__init__(name)
        self._statement = statement

    def read(self, session: Session, now_ms: Callable[[], float]) -> Iterator[LagRow]:
        for server, session_id, lag in session.ask(self._statement).rows:
            # Each instance reports all replicas; its own row is enough.
            if server == self.name and session_id != WRITER:
                yield self.name, REPLICA_LAG, None if lag is None else float(lag), "ms"


REPLICA_LAG = "AuroraReplicaLag"


class _MysqlMonitoring(ExternalMysqlMonitoring):
    """Reads Aurora's lag where the server is one of Aurora."""

    def __init__(self, server: AuroraMysql) -> None:
        super().__init__(server)
        self._aurora = server

    def lag(self) -> LagReader:  # type: ignore[override]  # where it is Aurora, another one
        statement = _status_statement(self._aurora)
        return AuroraLag(self.name, statement) if statement else super().lag()


class _PostgresMonitoring(ExternalPostgresMonitoring):
    """Reads Aurora's lag where the server is one of Aurora."""

    def __init__(self, server: AuroraPostgres) -> None:
        super().__init__(server)
        self._aurora = server

    def lag(self) -> LagReader:  # type: ignore[override]  # where it is Aurora, another one
        statement = _status_statement(self._aurora)
        return AuroraLag(self.name, statement) if statement else super().lag()


def _status_statement(server: AuroraMysql | AuroraPostgres) -> str:
    with suppress(Exception):  # The server may be unavailable now.
        return server.status_statement()
    return ""


def _listed(server: AuroraMysql | AuroraPostgres) -> str:
    if server.writable() or server.name in server.lags():
        return ""
    return f"Aurora does not list {server.name} as a replica"


def _lagging(server: AuroraMysql | AuroraPostgres, primary: Server) -> str:
    reporter = primary if isinstance(primary, AuroraMysql | AuroraPostgres) else server
    lag = reporter.lags().get(server.name)
    if lag is None:
        return f"Aurora reports no lag of {server.name}"
    return f"Aurora reports a lag of {lag:.0f} ms for {server.name}" if lag > AT_EASE_MS else ""


def aurora_server(host: Host, engine: Engine, target: Target) -> ExternalServer:
    """Return the server object for an instance of a cluster of RDS."""
    kind = AuroraPostgres if engine.family == "postgresql" else AuroraMysql
    return kind(host, engine, target)
