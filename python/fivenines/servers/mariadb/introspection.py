"""Clients, durability and checksums of a MariaDB server."""

from fivenines.servers.base import Server
from fivenines.servers.mysql_family.checksums import MysqlFamilyDialect
from fivenines.servers.mysql_family.introspection import MysqlFamilyIntrospection
from fivenines.servers.mysql_family.roles import counted

_STATUS = "information_schema.GLOBAL_STATUS"
_CONNECTED = counted(_STATUS, "Slaves_connected")
_ACKNOWLEDGING = counted(_STATUS, "Rpl_semi_sync_master_clients", "Rpl_semi_sync_master_status")


def mariadb_introspection(server: Server) -> MysqlFamilyIntrospection:
    """Return the introspection of a MariaDB server."""
    return MysqlFamilyIntrospection(server, _CONNECTED, _ACKNOWLEDGING, MysqlFamilyDialect("MD5({})"))
