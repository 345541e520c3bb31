"""Figures and settings of a MariaDB or MySQL server."""

from abc import abstractmethod

from fivenines.lab.processes.process import tail
from fivenines.servers.base import Server
from fivenines.servers.in_effect import Asked, Finding
from fivenines.servers.monitoring import Monitoring
from fivenines.servers.mysql_family.in_effect import Observed, findings


class MysqlFamilyMonitoring(Monitoring):
    """Reads status variables and system variables."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.name)
        self._server = server

    def effective_settings(self) -> dict[str, str]:
        return {name: str(value) for name, value in self._server.sql.query("SHOW GLOBAL VARIABLES")}

    def in_effect(self, asked: Asked) -> list[Finding]:
        variables = {name.lower(): value for name, value in self.effective_settings().items()}
        plugins = self._server.sql.query(
            "SELECT PLUGIN_NAME, PLUGIN_STATUS, COALESCE(PLUGIN_LIBRARY, '') FROM information_schema.PLUGINS"
        )
        observed = Observed(
            variables,
            self.sources(),
            frozenset(str(library) for _, status, library in plugins if status == "ACTIVE"),
            {str(name).lower(): status == "ACTIVE" for name, status, _ in plugins},
            self._warnings(),
        )
        return findings(self.name, asked, observed)

    @property
    def of_role(self) -> frozenset[str]:
        return _OF_ROLE

    @abstractmethod
    def sources(self) -> dict[str, str]:
        """Return the origin, in words, of variables that the configuration file does not set."""

    def _warnings(self) -> tuple[str, ...]:
        lines = tail(self._server.log, 400).splitlines()
        words = ("[Warning]", "[ERROR]", "[Note] Buffered")
        return tuple(line.strip() for line in lines if any(word in line for word in words))


_OF_ROLE = frozenset(
    (
        "read_only",
        "super_read_only",
        *(f"rpl_semi_sync_{side}_enabled" for side in ("master", "slave", "source", "replica")),
    )
)
