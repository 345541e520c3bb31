"""The recorded counters of PostgreSQL: columns of its statistics views, named view.column.

Views and columns differ between versions (pg_stat_io came with 16, pg_stat_checkpointer with 17, and
pg_stat_wal lost its writes and syncs to pg_stat_io with 18), so the server is queried once for those that it
has. Source: PostgreSQL 18 manual, "The Cumulative Statistics System" and "pg_locks".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fivenines.servers.counters import Catalogue, Omitted
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

_SESSIONS = """
SELECT 'pg_stat_activity.state.' || coalesce(state, 'unknown'), count(*)::text
FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY state
UNION ALL
SELECT 'pg_stat_activity.wait.' || wait_event_type, count(*)::text FROM pg_stat_activity
WHERE backend_type = 'client backend' AND state = 'active' AND wait_event_type IS NOT NULL
  AND pid <> pg_backend_pid() GROUP BY wait_event_type
"""
_LOCKS = """
SELECT 'pg_locks.' || CASE WHEN granted THEN 'granted' ELSE 'waiting' END, count(*)::text
FROM pg_locks WHERE pid <> pg_backend_pid() GROUP BY granted
"""
_STANDBYS = """
SELECT 'pg_stat_replication.' || state, count(*)::text FROM pg_stat_replication GROUP BY state
"""
_HAS = """
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relname IN ({views})
"""


# What the server counts and shows to this account: switches, and the role that sees other accounts' sessions.
_SWITCHES = (
    "SELECT current_setting('track_counts'), current_setting('track_activities'), "
    "current_setting('track_io_timing'), pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')"
)

# Columns of pg_stat_database that stay as they are while a switch is off.
_COUNTS = ("blks_", "tup_", "conflicts", "temp_", "deadlocks")
_TIMES = ("blk_read_time", "blk_write_time")

ROWS = "rows, blocks, temporary files and deadlocks (pg_stat_database)"
SESSIONS = "states of sessions (pg_stat_activity)"
LACKS_ROLE = "the account lacks pg_read_all_stats, which GRANT pg_monitor gives it"
OTHERS = "sessions of other accounts (pg_stat_activity), and standbys (pg_stat_replication)"


@dataclass(frozen=True)
class Sight:
    """What a server counts, and what it shows to the account that asks.

    Attributes:
        counts: track_counts.
        activities: track_activities.
        io_timing: track_io_timing.
        others: whether the account sees the sessions of other accounts.
    """

    counts: bool = True
    activities: bool = True
    io_timing: bool = True
    others: bool = True

    def has(self, column: str) -> bool:
        """Return whether a column of pg_stat_database is counted."""
        if column in _TIMES:
            return self.io_timing
        if column == "active_time":
            return self.activities
        return self.counts or not column.startswith(_COUNTS)


class PostgresCounters:
    """Reads the counters of one server, whose columns are known after the first answer.

    `omitted` gets those that it does not count, or not show to the account, and why.
    """

    def __init__(self, database: str, omitted: Omitted) -> None:
        self._database = database
        self._omitted = omitted
        self._statement = ""

    def read(self, session: Session) -> Iterator[tuple[str, float]]:
        """Yield names and current values, without NULL."""
        if not self._statement:
            views = ", ".join(f"'{view}'" for view in [*COLUMNS, "pg_stat_io"])
            has: dict[str, set[str]] = {}
            for view, column in session.ask(_HAS.format(views=views)).rows:
                has.setdefault(view, set()).add(column)
            self._statement = statement(has, self._database, self._sight(session))
        for name, value in session.ask(self._statement).rows:
            if name is not None and value is not None:
                yield name, float(value)

    def _sight(self, session: Session) -> Sight:
        ((counts, activities, timing, others),) = session.ask(_SWITCHES).rows
        sight = Sight(counts == "on", activities == "on", timing == "on", others in ("t", True))
        if not sight.counts:
            self._omitted[ROWS] = "track_counts is off"
        if not sight.activities:
            self._omitted[SESSIONS] = "track_activities is off"
        if not sight.others:
            self._omitted[OTHERS] = LACKS_ROLE
        return sight


def statement(has: dict[str, set[str]], database: str, sight: Sight = Sight()) -> str:
    """Return one query for all columns that a server has; `has`: its columns by view."""
    parts = [
        _one_row(
            view,
            [
                column
                for column in columns
                if column in has.get(view, ()) and (view != "pg_stat_database" or sight.has(column))
            ],
            database,
        )
        for view, columns in COLUMNS.items()
    ]
    parts.append(_io([column for column in IO if column in has.get("pg_stat_io", ())]))
    parts += [_SESSIONS if sight.activities else "", _LOCKS, _STANDBYS if sight.others else ""]
    return "\nUNION ALL\n".join(filter(None, parts))


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
