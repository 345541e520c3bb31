"""Replication between two Galera clusters: all nodes of a cluster log the same GTIDs, in a separate domain.

Source: MariaDB documentation, "Using MariaDB GTIDs with MariaDB Galera Cluster", "Configuring MariaDB
Replication between Two MariaDB Galera Clusters".
"""

from collections.abc import Sequence
from typing import ClassVar

from fivenines.servers.base import REPLICATION, Value
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql_family.channel import LOGGING, Channel, Numbers

# Added to a server's number: the domain of what it writes outside of its cluster.
_OWN_DOMAINS = 100


class GaleraChannel(Channel[Mariadb]):
    """Positions are GTIDs, the same on all nodes of a cluster; the domain is the cluster's number."""

    positions = ("Read_Master_Log_Pos", "Exec_Master_Log_Pos")
    threads = ("Slave_IO_Running", "Slave_SQL_Running")
    stop: ClassVar[tuple[str, ...]] = ("STOP SLAVE", "RESET SLAVE ALL")
    stop_receiving = "STOP SLAVE IO_THREAD"

    def settings(self, numbers: Numbers, detects: bool) -> dict[str, Value]:
        return {
            **LOGGING,
            "log_slave_updates": True,
            # Returning changes are skipped by their domain: see `_LOADER_ID` in
            # solutions/galera/configuration.py.
            "server_id": numbers.server,
            "wsrep_gtid_mode": True,
            "wsrep_gtid_domain_id": numbers.cluster,
            "gtid_domain_id": _OWN_DOMAINS + numbers.server,
            "skip_slave_start": True,
            "slave_net_timeout": 5,
            # Otherwise each cluster would count only its own nodes.
            "wsrep_auto_increment_control": False,
            "auto_increment_increment": numbers.servers,
            "auto_increment_offset": numbers.server,
        }

    def end(self, source: Mariadb) -> str:
        ((position,),) = source.sql.query("SELECT @@global.gtid_binlog_pos")
        return str(position)

    def applied(self, of: int, servers: Sequence[Mariadb], numbers: Sequence[int]) -> str:
        return _by_domain(self.end(servers[0])).get(str(of), "")

    def after(self, source: Mariadb, mark: str, was_down: bool) -> str:
        if not mark:
            return ""
        logged = _by_domain(self.end(source))
        domain, _, number = mark.split("-")
        # Nodes of one cluster log a number under different server ids (seen in MariaDB 10.11).
        _, server, _ = logged.get(domain, mark).split("-")
        return ",".join({**logged, domain: f"{domain}-{server}-{number}"}.values())

    def follow(self, source: Mariadb, of: int, place: str, password: str) -> list[str]:
        return [
            "STOP SLAVE",
            f"SET GLOBAL gtid_slave_pos = '{place}'",
            f"CHANGE MASTER TO MASTER_HOST='{source.host.address}', MASTER_USER='{REPLICATION}', "
            f"MASTER_PASSWORD='{password}', MASTER_CONNECT_RETRY=1, MASTER_USE_GTID=slave_pos, "
            f"DO_DOMAIN_IDS=({of})",
            "START SLAVE",
        ]

    def behind(self, of: int, sources: Sequence[Mariadb], source: Mariadb, applier: Mariadb) -> str:
        written = _by_domain(self.end(source)).get(str(of), "")
        applied = _by_domain(self.end(applier)).get(str(of), "")
        if _number(applied) >= _number(written):
            return ""
        return f"{applier.name} is at {applied or 'the beginning'}, {source.name} at {written}"


def _by_domain(position: str) -> dict[str, str]:
    """Return the GTIDs of a position by domain."""
    parts = (gtid.strip() for gtid in position.split(","))
    return {gtid.partition("-")[0]: gtid for gtid in parts if gtid}


def _number(gtid: str) -> int:
    return int(gtid.rpartition("-")[2]) if gtid else 0
