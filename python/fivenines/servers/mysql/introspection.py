"""Clients, durability and checksums of a MySQL server."""

from fivenines.servers.base import Server
from fivenines.servers.mysql_family.checksums import MysqlFamilyDialect
from fivenines.servers.mysql_family.introspection import MysqlFamilyIntrospection
from fivenines.servers.mysql_family.roles import counted

_CONNECTED = "SELECT COUNT(*) FROM performance_schema.threads WHERE PROCESSLIST_COMMAND LIKE 'Binlog Dump%'"
_ACKNOWLEDGING = counted(
    "performance_schema.global_status", "Rpl_semi_sync_source_clients", "Rpl_semi_sync_source_status"
)


def mysql_introspection(server: Server) -> MysqlFamilyIntrospection:
    """Return the introspection of a MySQL server."""
    # MySQL 9.6 moved MD5 to a component.
    dialect = MysqlFamilyDialect("SHA2({}, 256)")
    return MysqlFamilyIntrospection(server, _CONNECTED, _ACKNOWLEDGING, dialect)
