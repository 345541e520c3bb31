"""Figures and settings of a MySQL server."""

from fivenines.servers.counters import CounterReader
from fivenines.servers.mysql import counters
from fivenines.servers.mysql.lag import MysqlLag
from fivenines.servers.mysql_family.monitoring import MysqlFamilyMonitoring


class MysqlMonitoring(MysqlFamilyMonitoring):
    """Reads the origin of settings from performance_schema."""

    def counters(self) -> CounterReader:
        return counters.MysqlCounters(self.omitted).read

    def lag(self) -> MysqlLag:
        return MysqlLag(self.name, self.omitted)

    def sources(self) -> dict[str, str]:
        rows = self._server.sql.query(
            "SELECT VARIABLE_NAME, VARIABLE_SOURCE, SET_TIME, SET_USER, VARIABLE_PATH "
            "FROM performance_schema.variables_info WHERE VARIABLE_SOURCE NOT IN ('COMPILED', 'EXPLICIT')"
        )
        words = {
            "DYNAMIC": "it was set while the server ran, at {time} by {user}",
            "PERSISTED": "SET PERSIST has it in {path}",
            "COMMAND_LINE": "the command line of the server sets it",
        }
        return {
            str(name).lower(): words.get(str(source), "it comes from {path}").format(
                time=when, user=who or "the server", path=where or source
            )
            for name, source, when, who, where in rows
        }
