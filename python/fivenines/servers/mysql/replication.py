"""MySQL's replication by GTID.

Source: MySQL 9 reference manual, "Replication with Global Transaction Identifiers", "Semisynchronous
Replication", "GTID Auto-Positioning".
"""

from collections.abc import Callable

from fivenines.servers.base import REPLICATION, Value
from fivenines.servers.mysql_family.replication import Replicating, Status
from fivenines.servers.mysql_family.server import MysqlFamily

WRITABLE = ("SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF")
# It stops administrators, too, and sets read_only.
READ_ONLY = "SET GLOBAL super_read_only = ON"

SEMI_SYNC_PRIMARY = "SET GLOBAL rpl_semi_sync_source_enabled = ON"
NO_SEMI_SYNC_PRIMARY = "SET GLOBAL rpl_semi_sync_source_enabled = OFF"
_EXECUTED = "SELECT @@global.gtid_executed"
# Tries of a replica to reach its primary, one a second: with the default of 10 it would soon give up.
RETRY_COUNT = 86_400


def follow(primary: str, password: str) -> list[str]:
    """Return statements that make a server the read-only replica of this address, by GTID."""
    return [
        "STOP REPLICA",
        READ_ONLY,
        f"CHANGE REPLICATION SOURCE TO SOURCE_HOST='{primary}', SOURCE_USER='{REPLICATION}', "
        f"SOURCE_PASSWORD='{password}', SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1, "
        f"SOURCE_CONNECT_RETRY=1, SOURCE_RETRY_COUNT={RETRY_COUNT}",
        "START REPLICA",
    ]


class MysqlReplicating(Replicating):
    """MySQL accepts a replica with more transactions than its primary, so sets of GTIDs are compared here."""

    source = "Source_Host"
    threads = ("Replica_IO_Running", "Replica_SQL_Running")
    writable = WRITABLE
    wait_for_replicas = (SEMI_SYNC_PRIMARY,)
    acknowledging = "Rpl_semi_sync_source_clients"
    stall = "STOP REPLICA SQL_THREAD"
    unstall = "START REPLICA SQL_THREAD"
    idle = "--skip-replica-start"
    appliers = "replica_parallel_workers"

    def settings(self) -> dict[str, Value]:
        return {
            "gtid_mode": "ON",
            "enforce_gtid_consistency": "ON",
            # A replica notices a silent primary after this time.
            "replica_net_timeout": 5,
            # Writes are refused until a node is made primary.
            "super_read_only": True,
        }

    def semi_sync(self, mode: str, timeout_ms: int, count: int) -> dict[str, Value]:
        return {
            "plugin_load_add": "semisync_source.so;semisync_replica.so",
            "rpl_semi_sync_replica_enabled": True,
            "rpl_semi_sync_source_wait_point": mode.upper(),
            "rpl_semi_sync_source_timeout": timeout_ms,
            "rpl_semi_sync_source_wait_for_replica_count": count,
        }

    def follow(self, primary: str, password: str) -> list[str]:
        return follow(primary, password)

    def behind(self, node: MysqlFamily, primary: MysqlFamily) -> str:
        return self.written(primary)(node)

    def written(self, primary: MysqlFamily) -> Callable[[MysqlFamily], str]:
        ((written,),) = primary.sql.query(_EXECUTED)

        def lacking(node: MysqlFamily) -> str:
            missing = _subtract(node, written, "@@global.gtid_executed")
            return f"{node.name} has not applied {missing}" if missing else ""

        return lacking

    def diverged(self, node: MysqlFamily, primary: MysqlFamily, status: Status) -> bool:
        # Query the node first: whatever it has received since then, the primary has.
        ((executed,),) = node.sql.query(_EXECUTED)
        errant = _subtract(primary, executed, "@@global.gtid_executed")
        return bool(errant) or super().diverged(node, primary, status)


def _subtract(node: MysqlFamily, gtids: str, others: str) -> str:
    """Return the GTIDs that are missing in a set, given as an expression for the node."""
    plain = str(gtids).replace("\n", "")
    ((left,),) = node.sql.query(f"SELECT GTID_SUBTRACT('{plain}', {others})")
    return str(left)
