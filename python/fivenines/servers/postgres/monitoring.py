"""Figures and settings of a PostgreSQL server."""

from fivenines.servers.base import Server
from fivenines.servers.counters import CounterReader
from fivenines.servers.in_effect import Asked, Finding
from fivenines.servers.monitoring import Monitoring
from fivenines.servers.postgres.counters import PostgresCounters
from fivenines.servers.postgres.in_effect import IN_FILES, OF_ROLES, QUESTION, Observed, Parameter, findings
from fivenines.servers.postgres.lag import PostgresLag


class PostgresMonitoring(Monitoring):
    """Reads pg_settings and the statistics views."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.name)
        self._server = server

    def counters(self) -> CounterReader:
        return PostgresCounters(self._server.database, self.omitted).read

    def lag(self) -> PostgresLag:
        return PostgresLag(self.name, self.omitted)

    def effective_settings(self) -> dict[str, str]:
        return dict(self._server.sql.query(_SETTINGS))

    def in_effect(self, asked: Asked) -> list[Finding]:
        parameters = {
            str(name): Parameter(str(value), unit, kind, source, bool(pending), file)
            for name, value, unit, kind, source, pending, file in self._server.sql.query(QUESTION)
        }
        observed = Observed(
            parameters, self._server.sql.query(OF_ROLES), dict(self._server.sql.query(IN_FILES))
        )
        return findings(self.name, asked, observed)

    @property
    def of_role(self) -> frozenset[str]:
        return frozenset(("synchronous_standby_names", "synchronized_standby_slots"))


# Settings of the session that asks are not those of the server.
_SETTINGS = (
    "SELECT name, CASE WHEN source = 'session' THEN reset_val ELSE setting END FROM pg_settings ORDER BY name"
)
