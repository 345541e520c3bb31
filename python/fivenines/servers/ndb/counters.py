"""The recorded counters of NDB: those of MySQL, Ndb_* of an SQL node, and ndbinfo of each data node.

Any SQL node shows ndbinfo of all data nodes, in one statement. Values of several instances of a block, of
links to several nodes and of parts of the redo log are summed.

Sources: MySQL NDB Cluster 9 reference manual, "ndbinfo: The NDB Cluster Information Database", "NDB Cluster
Status Variables".
"""

from collections.abc import Iterator, Mapping

from fivenines.servers.counters import Catalogue
from fivenines.servers.mysql import counters as mysql
from fivenines.servers.session import Session

# Of ndbinfo.counters, since the start of the data node; OPERATIONS are those of LQH, the others of TC and
# SPJ.
_COUNTERS = (
    "ABORTS",
    "ATTRINFO",
    "COMMITS",
    "CONST_PRUNED_RANGE_SCANS_RECEIVED",
    "LOCAL_RANGE_SCANS_SENT",
    "LOCAL_READS",
    "LOCAL_READS_SENT",
    "LOCAL_TABLE_SCANS_SENT",
    "LOCAL_WRITES",
    "LQHKEY_OVERLOAD",
    "LQHKEY_OVERLOAD_NODE_PEER",
    "LQHKEY_OVERLOAD_READER",
    "LQHKEY_OVERLOAD_SUBSCRIBER",
    "LQHKEY_OVERLOAD_TC",
    "LQHSCAN_SLOWDOWNS",
    "OPERATIONS",
    "PRUNED_RANGE_SCANS_RECEIVED",
    "RANGE_SCANS",
    "RANGE_SCANS_RECEIVED",
    "READS",
    "READS_NOT_FOUND",
    "READS_RECEIVED",
    "REMOTE_RANGE_SCANS_SENT",
    "REMOTE_READS_SENT",
    "SCAN_BATCHES_RETURNED",
    "SCAN_ROWS_RETURNED",
    "SIMPLE_READS",
    "TABLE_SCANS",
    "TABLE_SCANS_RECEIVED",
    "TRANSACTIONS",
    "WRITES",
)

# Columns of ndbinfo.tc_time_track_stats, a histogram whose classes grow by half.
_LATENCIES = {
    "transactions": "transactions",
    "reads": "read_key_ops",
    "writes": "write_key_ops",
    "scans": "scan_fragments",
}

# Further figures of a data node: table and expression.
_FIGURES: Mapping[str, tuple[str, str]] = {
    "transporters.bytes_sent": ("transporters", "SUM(bytes_sent)"),
    "transporters.bytes_received": ("transporters", "SUM(bytes_received)"),
    "transporters.connected": ("transporters", "SUM(status = 'CONNECTED')"),
    "transporters.overload_count": ("transporters", "SUM(overload_count)"),
    "transporters.slowdown_count": ("transporters", "SUM(slowdown_count)"),
    "memoryusage.data_used": ("memoryusage", "SUM(IF(memory_type = 'Data memory', used, 0))"),
    "memoryusage.data_total": ("memoryusage", "SUM(IF(memory_type = 'Data memory', total, 0))"),
    "memoryusage.message_used": ("memoryusage", "SUM(IF(memory_type = 'Long message buffer', used, 0))"),
    "logspaces.used": ("logspaces", "SUM(used)"),
    "logspaces.total": ("logspaces", "SUM(total)"),
    "logbuffers.used": ("logbuffers", "SUM(used)"),
    "logbuffers.total": ("logbuffers", "SUM(total)"),
    **{
        f"tc_time_track_stats.{name}": ("tc_time_track_stats", f"SUM({column})")
        for name, column in _LATENCIES.items()
    },
    # Upper bound of their total time: an operation counts with the upper end of its class.
    **{
        f"tc_time_track_stats.{name}_us": ("tc_time_track_stats", f"SUM({column} * upper_bound)")
        for name, column in _LATENCIES.items()
    },
}

CATALOGUE = Catalogue(
    (
        *mysql.CATALOGUE.names,
        *(f"ndbinfo.counters.{name}" for name in _COUNTERS),
        *(f"ndbinfo.{name}" for name in _FIGURES),
    ),
    (*mysql.CATALOGUE.groups, "Ndb_"),
)

_STATUS = (
    "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Ndb\\_%' AND Value <> '0' "
    # Leave out those of the session, and older names of the same.
    "AND Variable_name NOT LIKE '%\\_session' AND Variable_name NOT LIKE '%\\_slave'"
)


def read(session: Session, of_mysql: mysql.MysqlCounters) -> Iterator[tuple[str, float]]:
    """Yield names and current values of an SQL node, without values that are not numbers."""
    yield from of_mysql.read(session)
    for name, value in session.ask(_STATUS).rows:
        if str(value).isdecimal():
            yield name, float(value)


def read_data_nodes(session: Session) -> Iterator[tuple[int, str, float]]:
    """Yield node id, name and value of each counter of each data node, through an SQL node."""
    for number, name, value in session.ask(_STATEMENT).rows:
        yield int(number), f"ndbinfo.{name}", float(value)


def _statement() -> str:
    parts = [
        "SELECT node_id, CONCAT('counters.', counter_name), SUM(val) FROM ndbinfo.counters "
        "WHERE val <> 0 GROUP BY node_id, counter_name"
    ]
    for table in dict.fromkeys(table for table, _ in _FIGURES.values()):
        own = {name: expression for name, (of, expression) in _FIGURES.items() if of == table}
        # Query each table once: every query goes to all data nodes.
        columns = ", ".join(f"{expression} AS `{name}`" for name, expression in own.items())
        rows = " UNION ALL ".join(f"SELECT node_id, '{name}', `{name}` FROM counters" for name in own)
        parts.append(
            f"(WITH counters AS (SELECT node_id, {columns} FROM ndbinfo.{table} GROUP BY node_id) {rows})"
        )
    return " UNION ALL ".join(parts)


_STATEMENT = _statement()
