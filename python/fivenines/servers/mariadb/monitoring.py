"""Figures and settings of a MariaDB server."""

from fivenines.servers.counters import CounterReader
from fivenines.servers.mariadb.lag import MariadbLag
from fivenines.servers.mysql_family import counters
from fivenines.servers.mysql_family.monitoring import MysqlFamilyMonitoring


class MariadbMonitoring(MysqlFamilyMonitoring):
    """Reads the origin of settings from information_schema."""

    def counters(self) -> CounterReader:
        return counters.read

    def lag(self) -> MariadbLag:
        return MariadbLag(self.name, self.omitted)

    def sources(self) -> dict[str, str]:
        rows = self._server.sql.query(
            "SELECT VARIABLE_NAME, GLOBAL_VALUE_ORIGIN, GLOBAL_VALUE_PATH "
            "FROM information_schema.SYSTEM_VARIABLES WHERE GLOBAL_VALUE_ORIGIN IS NOT NULL"
        )
        words = {
            "SQL": "it was set while the server ran",
            "COMMAND-LINE": "the command line of the server sets it",
            "AUTO": "the server chose it",
            "COMPILE-TIME": "no configuration file of the server sets it",
        }
        return {str(name).lower(): words[str(origin)] for name, origin, _ in rows if str(origin) in words}
