"""The recorded counters of MariaDB and MySQL: names of SHOW GLOBAL STATUS."""

from collections.abc import Iterator

from fivenines.servers.counters import Catalogue
from fivenines.servers.session import Session

# Prefixes; there are hundreds of `Com_` and `Handler_`, most of them 0 and left out.
FAMILIES = ("Com_", "Handler_", "Innodb_rows_", "Innodb_row_lock_", "Rpl_semi_sync_", "Gr_")

NAMES = (
    # InnoDB's files and buffer pool
    "Innodb_data_fsyncs",
    "Innodb_data_read",
    "Innodb_data_reads",
    "Innodb_data_writes",
    "Innodb_data_written",
    "Innodb_os_log_fsyncs",
    "Innodb_os_log_written",
    "Innodb_log_waits",
    "Innodb_log_writes",
    "Innodb_pages_created",
    "Innodb_pages_read",
    "Innodb_pages_written",
    "Innodb_buffer_pool_pages_dirty",
    "Innodb_buffer_pool_pages_free",
    "Innodb_buffer_pool_reads",
    "Innodb_buffer_pool_read_requests",
    "Innodb_buffer_pool_wait_free",
    "Innodb_history_list_length",
    "Innodb_checkpoint_age",
    "Innodb_deadlocks",
    # clients
    "Threads_connected",
    "Threads_running",
    "Threads_created",
    "Connections",
    "Aborted_clients",
    "Aborted_connects",
    "Queries",
    "Questions",
    "Slow_queries",
    "Bytes_received",
    "Bytes_sent",
    "Open_files",
    "Open_tables",
    "Opened_tables",
    "Table_locks_waited",
    "Created_tmp_disk_tables",
    "Created_tmp_tables",
    "Uptime",
    # the binary log
    "Binlog_commits",
    "Binlog_group_commits",
    "Binlog_bytes_written",
    "Binlog_cache_disk_use",
    "Slaves_connected",
    "Slaves_running",
    "Slave_retried_transactions",
    # Galera
    "wsrep_apply_oooe",
    "wsrep_cert_deps_distance",
    "wsrep_cluster_conf_id",
    "wsrep_cluster_size",
    "wsrep_commit_window",
    "wsrep_connected",
    "wsrep_flow_control_paused",
    "wsrep_flow_control_paused_ns",
    "wsrep_flow_control_recv",
    "wsrep_flow_control_sent",
    "wsrep_last_committed",
    "wsrep_local_bf_aborts",
    "wsrep_local_cert_failures",
    "wsrep_local_commits",
    "wsrep_local_recv_queue",
    "wsrep_local_recv_queue_max",
    "wsrep_local_replays",
    "wsrep_local_send_queue",
    "wsrep_local_state",
    "wsrep_ready",
    "wsrep_received",
    "wsrep_received_bytes",
    "wsrep_replicated",
    "wsrep_replicated_bytes",
)

_HANDLER = (
    "commit",
    "delete",
    "discover",
    "external_lock",
    "icp_attempts",
    "icp_match",
    "mrr_init",
    "mrr_key_refills",
    "mrr_rowid_refills",
    "prepare",
    "read_first",
    "read_key",
    "read_last",
    "read_next",
    "read_prev",
    "read_retry",
    "read_rnd",
    "read_rnd_deleted",
    "read_rnd_next",
    "rollback",
    "savepoint",
    "savepoint_rollback",
    "tmp_delete",
    "tmp_update",
    "tmp_write",
    "update",
    "write",
)
_ROWS = ("deleted", "inserted", "read", "updated")
# Common names with `Com_`, for suggestions at misspelled names; there is one for each kind of statement.
_COMMON = ("begin", "commit", "delete", "insert", "insert_select", "replace", "rollback", "select", "update")

CATALOGUE = Catalogue(
    (
        *NAMES,
        *(f"Handler_{name}" for name in _HANDLER),
        *(f"Innodb_rows_{name}" for name in _ROWS),
        *(f"Com_{name}" for name in _COMMON),
    ),
    tuple(name for name in FAMILIES if name not in ("Handler_", "Innodb_rows_")),
)

_WORDS = {"ON": 1.0, "OFF": 0.0, "YES": 1.0, "NO": 0.0}


def read(session: Session) -> Iterator[tuple[str, float]]:
    """Yield names and current values, without values that are not numbers."""
    for name, value in session.ask(_STATEMENT).rows:
        number = _number(str(value))
        if number is not None:
            yield name, number


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return _WORDS.get(value.upper())


def _statement() -> str:
    """Return one statement; the server leaves out the rest, since reading rows costs the controller's CPU."""
    names = ", ".join(f"'{name}'" for name in NAMES)
    some = " OR ".join(f"Variable_name LIKE '{family}%'" for family in FAMILIES[2:])
    # In the names _ stands for itself as well as for any character.
    changing = " OR ".join(f"Variable_name LIKE '{family}%'" for family in FAMILIES[:2])
    return f"SHOW GLOBAL STATUS WHERE Variable_name IN ({names}) OR {some} OR (Value <> '0' AND ({changing}))"


_STATEMENT = _statement()
