"""MariaDB's replication by GTID.

Source: MariaDB documentation, "Global Transaction ID", "Semisynchronous Replication".
"""

from collections.abc import Callable

from fivenines.servers.base import Value
from fivenines.servers.mariadb.server import SEMI_SYNC_PRIMARY, WHERE_ITS_LOG_ENDS, WRITABLE, follow
from fivenines.servers.mysql_family.replication import Replicating
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.positions import distance, parse_gtids


class MariadbReplicating(Replicating):
    """Positions are consecutive numbers, so the primary itself detects a diverged replica."""

    source = "Master_Host"
    threads = ("Slave_IO_Running", "Slave_SQL_Running")
    writable = (WRITABLE,)
    wait_for_replicas = (SEMI_SYNC_PRIMARY,)
    acknowledging = "Rpl_semi_sync_master_clients"
    stall = "STOP SLAVE SQL_THREAD"
    unstall = "START SLAVE SQL_THREAD"
    idle = "--skip-slave-start"
    appliers = "slave_parallel_threads"

    def settings(self) -> dict[str, Value]:
        return {
            "log_slave_updates": True,
            "gtid_strict_mode": True,
            # A replica notices a silent primary after this time.
            "slave_net_timeout": 5,
            # Writes are refused until a node is made primary.
            "read_only": True,
        }

    def semi_sync(self, mode: str, timeout_ms: int, count: int) -> dict[str, Value]:
        return {
            "rpl_semi_sync_slave_enabled": True,
            "rpl_semi_sync_master_wait_point": mode.upper(),
            "rpl_semi_sync_master_timeout": timeout_ms,
        }

    def applying(self, threads: int | None, mode: str | None) -> dict[str, Value]:
        settings = super().applying(threads, mode)
        return settings | ({"slave_parallel_mode": mode} if mode else {})

    def follow(self, primary: str, password: str) -> list[str]:
        return follow(primary, password)

    def rejoin_arguments(self, semi_synchronous: bool) -> list[str]:
        # A crashed primary discards what no replica has acknowledged; without semi-synchrony its own log
        # counts (MariaDB documentation, init_rpl_role).
        return [self.idle, *(["--init-rpl-role=SLAVE"] if semi_synchronous else [])]

    def before_following(self) -> list[str]:
        return [WHERE_ITS_LOG_ENDS]

    def behind(self, node: MysqlFamily, primary: MysqlFamily) -> str:
        ((written,),) = primary.sql.query("SELECT @@global.gtid_binlog_pos")
        applied, logged = _positions(node)
        if written in (applied, logged):
            return ""
        return f"{node.name} is at {applied}, the primary at {written}"

    def written(self, primary: MysqlFamily) -> Callable[[MysqlFamily], str]:
        ((written,),) = primary.sql.query("SELECT @@global.gtid_binlog_pos")
        target = parse_gtids(str(written))

        def lacking(node: MysqlFamily) -> str:
            applied, logged = _positions(node)
            if not all(distance(target, parse_gtids(position)) for position in (applied, logged)):
                return ""
            return f"{node.name} is at {applied}, the primary was at {written}"

        return lacking


def _positions(node: MysqlFamily) -> tuple[str, str]:
    """Return its applied position and its log's position, which also covers a failover manager's changes."""
    ((applied, logged),) = node.sql.query("SELECT @@global.gtid_slave_pos, @@global.gtid_binlog_pos")
    return str(applied), str(logged)
