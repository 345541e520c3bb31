"""Clients, durability and checksums of a PostgreSQL server."""

from fivenines.servers.base import Server
from fivenines.servers.introspection import Introspection
from fivenines.servers.postgres.checksums import PostgresDialect
from fivenines.servers.postgres.roles import PostgresRoles
from fivenines.servers.roles import Company


class PostgresIntrospection(Introspection):
    """Queries and changes the server through its catalogues."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def clients(self) -> int:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        ((number,),) = self._server.sql.query(sql)
        return int(number)

    def most_clients(self) -> int:
        sql = "SELECT setting::int FROM pg_settings WHERE name = 'max_connections'"
        ((most,),) = self._server.sql.query(sql)
        return int(most)

    def role_reader(self, company: Company | None) -> PostgresRoles:
        return PostgresRoles(company)

    def dialect(self) -> PostgresDialect:
        return PostgresDialect()
