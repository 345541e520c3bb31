"""Failover of MySQL replication by GTID (MySQL 9 reference manual, "Switching Sources During Failover")."""

import ssl
from collections.abc import Mapping
from typing import Any

from fivenines.base.drivers import pymysql
from fivenines.servers.control import Address
from fivenines.servers.mysql.group import transactions
from fivenines.servers.mysql.replication import NO_SEMI_SYNC_PRIMARY, READ_ONLY, MysqlReplicating
from fivenines.servers.mysql_family.control import PATIENCE, MysqlFamilyControl

_POSITIONS = (
    "SELECT RECEIVED_TRANSACTION_SET AS received, @@global.gtid_executed AS executed, "
    "GTID_SUBSET(RECEIVED_TRANSACTION_SET, @@global.gtid_executed) AS applied "
    "FROM performance_schema.replication_connection_status WHERE CHANNEL_NAME = ''"
)


class MysqlControl(MysqlFamilyControl):
    """Positions are numbers of transactions."""

    stop_receiving = "STOP REPLICA IO_THREAD"
    forget_primary = ("STOP REPLICA", "RESET REPLICA ALL")
    replicating = MysqlReplicating()

    def __init__(self, timeout: float, password: str, facts: Mapping[str, Any] | None = None) -> None:
        super().__init__(timeout, password, facts)
        # Passwords are sent over TLS; the servers' certificates are self-signed.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.encryption = {"ssl": context}

    def position(self, address: Address) -> int | None:
        try:
            with self.cursor(address) as cursor:
                cursor.execute(_POSITIONS)
                row = cursor.fetchone()
                if not row:
                    return None
                # Received transactions may be executed in part: neither set contains the other.
                both = ",".join(filter(None, (_plain(row["received"]), _plain(row["executed"]))))
                cursor.execute("SELECT GTID_SUBTRACT(%s, '') AS known", (both,))
                return transactions(cursor.fetchone()["known"])
        except (pymysql.Error, OSError):
            return None

    def demote(self, address: Address) -> int | None:
        with self.read_only(address, READ_ONLY) as cursor:
            cursor.execute("SELECT @@global.gtid_executed AS executed")
            return transactions(cursor.fetchone()["executed"])

    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        with self.cursor(address, PATIENCE) as cursor:
            # The variable exists only with its plugin.
            cursor.execute("SHOW GLOBAL VARIABLES LIKE 'rpl_semi_sync_source_enabled'")
            if cursor.fetchone():
                cursor.execute(NO_SEMI_SYNC_PRIMARY)
        self.repoint(address, name, primary)

    def applied(self, cursor: Any) -> bool:
        cursor.execute(_POSITIONS)
        row = cursor.fetchone()
        return row is None or bool(row["applied"])


def _plain(gtids: str | None) -> str:
    return (gtids or "").replace("\n", "")
