"""The recorded counters of PostgreSQL: columns of its statistics views, named view.column.

Views and columns differ between versions (pg_stat_io came with 16, pg_stat_checkpointer with 17, and
pg_stat_wal lost its writes and syncs to pg_stat_io with 18), so the server is queried once for those that it
has. Source: PostgreSQL 18 manual, "The Cumulative Statistics System" and "pg_locks".
"""

from collections.abc import Iterator

from fivenines.servers.counters import Catalogue
from fivenines.servers.session import Session

# Views with one row (for pg_stat_database the row of the workload's database).
COLUMNS = {
    "pg_stat_database": (
        "numbackends",
        "xact_commit",
        "xact_rollback",
        "blks_read",
        "blks_hit",
        "tup_returned",
        "tup_fetched",
        "tup_inserted",
        "tup_updated",
        "tup_deleted",
        "conflicts",
        "temp_files",
        "temp_bytes",
        "deadlocks",
        "blk_read_time",
        "blk_write_time",
        "sessions",
        "sessions_killed",
        "active_time",
    ),
    "pg_stat_bgwriter": (
        "buffers_clean",
        "maxwritten_clean",
        "buffers_alloc",
        "checkpoints_timed",
        "checkpoints_req",
        "buffers_checkpoint",
        "buffers_backend",
        "buffers_backend_fsync",
    ),
    "pg_stat_checkpointer": (
        "num_timed",
        "num_requested",
        "num_done",
        "write_time",
        "sync_time",
        "buffers_written",
    ),
    "pg_stat_wal": ("wal_records", "wal_fpi", "wal_bytes", "wal_buffers_full", "wal_write", "wal_sync"),
    "pg_stat_archiver": ("archived_count", "failed_count"),
}

# Columns of pg_stat_io, summed over kinds of processes and contexts: pg_stat_io.OBJECT.COLUMN.
IO = ("reads", "read_bytes", "writes", "write_bytes", "extends", "hits", "evictions", "fsyncs")

CATALOGUE = Catalogue(
    (
        *(f"{view}.{column}" for view, columns in COLUMNS.items() for column in columns),
        *(f"pg_stat_io.{kind}.{column}" for kind in ("relation", "temp_relation", "wal") for column in IO),
        "pg_locks.granted",
        "pg_locks.waiting",
    ),
    ("pg_stat_activity.state.", "pg_stat_activity.wait.", "pg_stat_replication."),
)

_GROUPS = """
SELECT 'pg_stat_activity.state.' || coalesce(state, 'unknown'), count(*)::text
FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY state
UNION ALL
SELECT 'pg_stat_activity.wait.' || wait_event_type, count(*)::text FROM pg_stat_activity
WHERE backend_type = 'client backend' AND state = 'active' AND wait_event_type IS NOT NULL
  AND pid <> pg_backend_pid() GROUP BY wait_event_type
UNION ALL
SELECT 'pg_locks.' || CASE WHEN granted THEN 'granted' ELSE 'waiting' END, count(*)::text
FROM pg_locks WHERE pid <> pg_backend_pid() GROUP BY granted
UNION ALL
SELECT 'pg_stat_replication.' || state, count(*)::text FROM pg_stat_replication GROUP BY state
"""
_HAS = """
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relname IN ({views})
"""


class PostgresCounters:
    """Reads the counters of one server, whose columns are known after the first answer."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._statement = ""

    def read(self, session: Session) -> Iterator[tuple[str, float]]:
        """Yield names and current values, without NULL."""
        if not self._statement:
            views = ", ".join(f"'{view}'" for view in [*COLUMNS, "pg_stat_io"])
            has: dict[str, set[str]] = {}
            for view, column in session.ask(_HAS.format(views=views)).rows:
                has.setdefault(view, set()).add(column)
            self._statement = statement(has, self._database)
        for name, value in session.ask(self._statement).rows:
            if value is not None:
                yield name, float(value)


def statement(has: dict[str, set[str]], database: str) -> str:
    """Return one query for all columns that a server has; `has`: its columns by view."""
    parts = [
        _one_row(view, [column for column in columns if column in has.get(view, ())], database)
        for view, columns in COLUMNS.items()
    ]
    parts.append(_io([column for column in IO if column in has.get("pg_stat_io", ())]))
    return "\nUNION ALL\n".join([*filter(None, parts), _GROUPS])


def _one_row(view: str, columns: list[str], database: str) -> str:
    if not columns:
        return ""
    pairs = ", ".join(f"('{view}.{column}', s.{column}::text)" for column in columns)
    name = database.replace("'", "''")
    where = f" WHERE s.datname = '{name}'" if view == "pg_stat_database" else ""
    return f"SELECT v.* FROM {view} s, LATERAL (VALUES {pairs}) v(name, value){where}"


def _io(columns: list[str]) -> str:
    if not columns:
        return ""
    pairs = ", ".join(f"('{column}', s.{column}::numeric)" for column in columns)
    return (
        "SELECT 'pg_stat_io.' || replace(s.object, ' ', '_') || '.' || v.name, sum(v.value)::text "
        f"FROM pg_stat_io s, LATERAL (VALUES {pairs}) v(name, value) "
        "WHERE v.value IS NOT NULL GROUP BY s.object, v.name"
    )
