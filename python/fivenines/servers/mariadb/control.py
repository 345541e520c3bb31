"""Failover of MariaDB replication by GTID (MariaDB documentation, "Global Transaction ID")."""

from typing import Any

from fivenines.servers.control import Address
from fivenines.servers.mariadb.replication import MariadbReplicating
from fivenines.servers.mariadb.server import FORMER_PRIMARY
from fivenines.servers.mysql_family.control import MysqlFamilyControl


class MariadbControl(MysqlFamilyControl):
    """Positions are sequence numbers of the single domain."""

    stop_receiving = "STOP SLAVE IO_THREAD"
    forget_primary = ("STOP SLAVE", "RESET SLAVE ALL")
    replicating = MariadbReplicating()
    encryption = {"ssl_disabled": True}  # noqa: RUF012

    def position(self, address: Address) -> int | None:
        row = self.row(address, "SHOW REPLICA STATUS")
        return sequence(row["Gtid_IO_Pos"]) if row else None

    def demote(self, address: Address) -> int | None:
        with self.read_only(address, "SET GLOBAL read_only = 1") as cursor:
            cursor.execute("SELECT @@global.gtid_binlog_pos AS written")
            return sequence(cursor.fetchone()["written"])

    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        follow = self.replicating.follow(primary[0], self.password)
        self.run_all(address, *FORMER_PRIMARY, *follow)

    def applied(self, cursor: Any) -> bool:
        cursor.execute("SHOW REPLICA STATUS")
        received = sequence(cursor.fetchone()["Gtid_IO_Pos"])
        cursor.execute("SELECT @@global.gtid_slave_pos AS applied")
        return sequence(cursor.fetchone()["applied"]) >= received


def sequence(position: str | None) -> int:
    """Return the sequence number of a GTID position of one domain: 0-1-4711 has 4711; empty is 0."""
    return max((int(part.split("-")[2]) for part in (position or "").split(",") if part), default=0)
