"""Clients, durability and checksums of a MariaDB or MySQL server."""

from fivenines.servers.base import Server
from fivenines.servers.introspection import Introspection
from fivenines.servers.mysql_family.checksums import MysqlFamilyDialect
from fivenines.servers.mysql_family.roles import MysqlFamilyRoles
from fivenines.servers.roles import Company


class MysqlFamilyIntrospection(Introspection):
    """Queries and changes the server through its variables.

    Args:
        server: the server.
        connected: SQL for the number of replicas that are connected to it.
        acknowledging: SQL for the number of replicas that acknowledge its commits.
        dialect: its SQL for checksums.
    """

    def __init__(
        self, server: Server, connected: str, acknowledging: str, dialect: MysqlFamilyDialect
    ) -> None:
        self._server = server
        self._connected, self._acknowledging = connected, acknowledging
        self._dialect = dialect

    def clients(self) -> int:
        ((_, value),) = self._server.sql.query("SHOW GLOBAL STATUS LIKE 'Threads_connected'")
        return int(value)

    def most_clients(self) -> int:
        ((most,),) = self._server.sql.query("SELECT @@global.max_connections")
        return int(most)

    def role_reader(self, company: Company | None) -> MysqlFamilyRoles:
        awaited = company is not None and company.awaited
        return MysqlFamilyRoles(company, self._acknowledging if awaited else self._connected)

    def dialect(self) -> MysqlFamilyDialect:
        return self._dialect
