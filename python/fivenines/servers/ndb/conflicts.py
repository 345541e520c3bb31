"""Conflict detection of NDB Cluster replication.

Source: MySQL NDB Cluster 9 reference manual, "NDB Cluster Replication Conflict Resolution".
"""

from collections.abc import Iterable
from typing import Literal

from fivenines.servers.base import DATABASE

_TABLE = (
    "CREATE TABLE IF NOT EXISTS mysql.ndb_replication (db VARBINARY(63), table_name VARBINARY(63), "
    "server_id INT UNSIGNED, binlog_type INT UNSIGNED, conflict_fn VARBINARY(128), "
    "PRIMARY KEY USING HASH (db, table_name, server_id)) ENGINE=NDB PARTITION BY KEY(db, table_name)"
)

# Tables of the measurement: each row has one writer, and one table has a BLOB, which no function supports.
_MEASUREMENT_TABLES = "fivenines%"

# binlog_type: all columns, before and after, as an update (NBT_FULL_USE_UPDATE), which both functions
# support.
_FULL_UPDATE = 7


def detection(kind: Literal["epoch", "max"], column: str, servers: Iterable[int]) -> list[str]:
    """Return statements after which new tables detect conflicts at these appliers.

    Args:
        kind: epoch: these servers' cluster wins; max: the row with the larger value in the column wins.
        column: the compared column, an unsigned integer.
        servers: their server_id.
    """
    function = "NDB$EPOCH()" if kind == "epoch" else f"NDB$MAX({column})"
    rows = ", ".join(
        f"('{DATABASE}', '{tables}', {number}, {_FULL_UPDATE}, {what})"
        for number in servers
        for tables, what in (("%", f"'{function}'"), (_MEASUREMENT_TABLES, "NULL"))
    )
    return [_TABLE, f"REPLACE INTO mysql.ndb_replication VALUES {rows}"]
