"""The recorded counters of MySQL: those of MariaDB under the same names, the group's, and those of files.

Sources: MySQL 9 reference manual, "The replication_group_member_stats Table", "Group Replication Status
Variables", "File I/O Summary Tables".
"""

from collections.abc import Iterator

from fivenines.servers.counters import Catalogue
from fivenines.servers.mysql_family import counters as status
from fivenines.servers.session import Session

# Columns of a member's row; named replication_group_member_stats.COLUMN. A server without a group has none.
COLUMNS = (
    "COUNT_TRANSACTIONS_IN_QUEUE",
    "COUNT_TRANSACTIONS_CHECKED",
    "COUNT_CONFLICTS_DETECTED",
    "COUNT_TRANSACTIONS_ROWS_VALIDATING",
    "COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE",
    "COUNT_TRANSACTIONS_REMOTE_APPLIED",
    "COUNT_TRANSACTIONS_LOCAL_PROPOSED",
    "COUNT_TRANSACTIONS_LOCAL_ROLLBACK",
)

_MEMBER = (
    f"SELECT {', '.join(COLUMNS)} FROM performance_schema.replication_group_member_stats "
    "WHERE MEMBER_ID = @@server_uuid"
)


# Bytes written to InnoDB's files and logs, to binary and relay logs.
_FILES = (
    "SELECT sum(SUM_NUMBER_OF_BYTES_WRITE) FROM performance_schema.file_summary_by_event_name "
    "WHERE EVENT_NAME LIKE 'wait/io/file/innodb/%' OR EVENT_NAME LIKE 'wait/io/file/sql/%log%'"
)


# MySQL has no Innodb_deadlocks.
_METRICS = (
    "SELECT NAME, COUNT FROM information_schema.INNODB_METRICS "
    "WHERE NAME IN ('lock_deadlocks', 'lock_timeouts') AND STATUS = 'enabled'"
)


CATALOGUE = Catalogue(
    (
        *status.CATALOGUE.names,
        *(f"replication_group_member_stats.{name}" for name in COLUMNS),
        "INNODB_METRICS.lock_deadlocks",
        "INNODB_METRICS.lock_timeouts",
        "file_summary_by_event_name.write_bytes",
    ),
    status.CATALOGUE.groups,
)


def read(session: Session) -> Iterator[tuple[str, float]]:
    """Yield names and current values, without values that are not numbers."""
    yield from status.read(session)
    for row in session.ask(_MEMBER).rows:
        for name, value in zip(COLUMNS, row, strict=True):
            yield f"replication_group_member_stats.{name}", float(value)
    for name, count in session.ask(_METRICS).rows:
        yield f"INNODB_METRICS.{name}", float(count)
    for row in session.ask(_FILES).rows:
        if row[0] is not None:
            yield "file_summary_by_event_name.write_bytes", float(row[0])
