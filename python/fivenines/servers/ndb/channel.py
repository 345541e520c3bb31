"""NDB Cluster replication: an SQL node logs what its whole cluster commits, epoch by epoch.

Source: MySQL NDB Cluster 9 reference manual, "NDB Cluster Replication" ("Preparing the NDB Cluster for
Replication", "Implementing Failover with NDB Cluster Replication", "Bidirectional and Circular Replication").
"""

import re
from collections.abc import Sequence
from typing import ClassVar

from fivenines.servers.base import REPLICATION, Value
from fivenines.servers.mysql.replication import RETRY_COUNT
from fivenines.servers.mysql_family.channel import LOGGING, Channel, Numbers
from fivenines.servers.ndb.sql_node import SqlNode

_HANDLED = re.compile(r"latest_handled_binlog_epoch=(\d+)")


class NdbChannel(Channel[SqlNode]):
    """Positions are files and offsets of one SQL node; epochs are the same in a whole cluster."""

    positions = ("Read_Source_Log_Pos", "Exec_Source_Log_Pos")
    threads = ("Replica_IO_Running", "Replica_SQL_Running")
    stop: ClassVar[tuple[str, ...]] = ("STOP REPLICA", "RESET REPLICA ALL")
    stop_receiving = "STOP REPLICA IO_THREAD"

    def settings(self, numbers: Numbers, detects: bool) -> dict[str, Value]:
        return {
            **LOGGING,
            "server_id": numbers.server,
            "gtid_mode": "OFF",
            "ndb_log_bin": True,
            # Changes from the other cluster must not return there.
            "log_replica_updates": False,
            # Lets a cluster see which of its epochs the other had when it wrote.
            "ndb_log_apply_status": detects,
            # With one worker everything before the newest applied epoch is applied, too.
            "replica_parallel_workers": 1,
            "skip_replica_start": True,
            # The applied position must outlive the reset of the replica.
            "ndb_clear_apply_status": False,
            # A former applier waits this long at its start for what begins only after it (seen in 9.7).
            "ndb_wait_setup": 1,
            "replica_net_timeout": 5,
            "auto_increment_increment": 2,
            "auto_increment_offset": numbers.cluster,
        }

    def end(self, source: SqlNode) -> str:
        (row,) = source.sql.query("SHOW BINARY LOG STATUS")
        return f"{row[0]}:{row[1]}"

    def applied(self, of: int, servers: Sequence[SqlNode], numbers: Sequence[int]) -> str:
        known = ", ".join(map(str, numbers))
        ((epoch,),) = servers[0].sql.query(
            f"SELECT MAX(epoch) FROM mysql.ndb_apply_status WHERE server_id IN ({known})"
        )
        return str(epoch or "")

    def after(self, source: SqlNode, mark: str, was_down: bool) -> str:
        place = self._next(source, mark) if mark else ""
        if not was_down:
            return place
        # At its start it logged an incident, at which appliers stop, and began a new file.
        begun = f"{self.end(source).rpartition(':')[0]}:4"
        return max(place, begun, key=_in_order)

    def _next(self, source: SqlNode, mark: str) -> str:
        rows = source.sql.query(
            "SELECT SUBSTRING_INDEX(next_file, '/', -1), next_position FROM mysql.ndb_binlog_index "
            f"WHERE epoch <= {mark} ORDER BY epoch DESC LIMIT 1"
        ) or source.sql.query(
            "SELECT SUBSTRING_INDEX(File, '/', -1), Position FROM mysql.ndb_binlog_index "
            f"WHERE epoch > {mark} ORDER BY epoch LIMIT 1"
        )
        return f"{rows[0][0]}:{rows[0][1]}" if rows else ""

    def follow(self, source: SqlNode, of: int, place: str, password: str) -> list[str]:
        file, _, position = place.rpartition(":")
        return [
            "STOP REPLICA",
            f"CHANGE REPLICATION SOURCE TO SOURCE_HOST='{source.host.address}', "
            f"SOURCE_USER='{REPLICATION}', SOURCE_PASSWORD='{password}', SOURCE_LOG_FILE='{file}', "
            f"SOURCE_LOG_POS={position}, GET_SOURCE_PUBLIC_KEY=1, SOURCE_CONNECT_RETRY=1, "
            f"SOURCE_RETRY_COUNT={RETRY_COUNT}",
            "START REPLICA",
        ]

    def behind(self, of: int, sources: Sequence[SqlNode], source: SqlNode, applier: SqlNode) -> str:
        committed = max(_last_commit(node) for node in sources)
        if _handled(source) < committed:
            return f"{source.name} has not logged epoch {committed} yet"
        file, _, position = self.end(source).rpartition(":")
        status = applier.sql.replica_status()
        done = f"{status.get('Relay_Source_Log_File')}:{status.get('Exec_Source_Log_Pos')}"
        if done == f"{file}:{position}":
            return ""
        return f"{applier.name} is at {done} of {source.name}, which is at {file}:{position}"


def _in_order(place: str) -> tuple[str, int]:
    file, _, position = place.rpartition(":")
    return file, int(position or 0)


def _last_commit(node: SqlNode) -> int:
    """Return the epoch of the last commit of any client of this SQL node."""
    return int(node.sql.status("Ndb_last_commit_epoch_server").popitem()[1])


def _handled(node: SqlNode) -> int:
    """Return the epoch up to which this SQL node has logged."""
    for row in node.sql.query("SHOW ENGINE NDB STATUS"):
        if match := _HANDLED.search(str(row[-1])):
            return int(match[1])
    return 0
