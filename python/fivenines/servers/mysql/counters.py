"""The recorded counters of MySQL: those of MariaDB under the same names, the group's, and those of files.

Sources: MySQL 9 reference manual, "The replication_group_member_stats Table", "Group Replication Status
Variables", "File I/O Summary Tables".
"""

from collections.abc import Iterator
from typing import Any

from fivenines.servers.counters import Catalogue, Omitted, rows_unless_refused
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


_OF_FILES = "LIKE 'wait/io/file/innodb/%' OR {0} LIKE 'wait/io/file/sql/%log%'"

# Bytes written to InnoDB's files and logs, to binary and relay logs.
_FILES = (
    "SELECT sum(SUM_NUMBER_OF_BYTES_WRITE) FROM performance_schema.file_summary_by_event_name "
    f"WHERE EVENT_NAME {_OF_FILES.format('EVENT_NAME')}"
)

# What is not counted stays 0: instruments that are off, and all of them without the consumer.
_BLIND = (
    "SELECT @@global.performance_schema, "
    "(SELECT count(*) FROM performance_schema.setup_consumers "
    "WHERE NAME = 'global_instrumentation' AND ENABLED = 'NO'), "
    "(SELECT count(*) FROM performance_schema.setup_instruments "
    f"WHERE ENABLED = 'NO' AND (NAME {_OF_FILES.format('NAME')}))"
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


BYTES_WRITTEN = "bytes written to files (performance_schema.file_summary_by_event_name)"
DEADLOCKS = "deadlocks (information_schema.INNODB_METRICS)"
MEMBER = "queues and conflicts of the group (performance_schema.replication_group_member_stats)"


class MysqlCounters:
    """Reads the counters of one server; `omitted` gets those that it does not show or count, and why."""

    def __init__(self, omitted: Omitted) -> None:
        self._omitted = omitted
        self._checked = False

    def read(self, session: Session) -> Iterator[tuple[str, float]]:
        """Yield names and current values, without values that are not numbers."""
        yield from status.read(session)
        for row in rows_unless_refused(session, _MEMBER, MEMBER, self._omitted):
            for name, value in zip(COLUMNS, row, strict=True):
                yield f"replication_group_member_stats.{name}", float(value)
        metrics = rows_unless_refused(session, _METRICS, DEADLOCKS, self._omitted)
        if not metrics:
            self._omitted.setdefault(DEADLOCKS, "innodb_monitor_disable switches them off")
        for name, count in metrics:
            yield f"INNODB_METRICS.{name}", float(count)
        for row in self._files(session):
            if row[0] is not None:
                yield "file_summary_by_event_name.write_bytes", float(row[0])

    def _files(self, session: Session) -> list[tuple[Any, ...]]:
        if not self._checked:
            for on, silent, instruments in rows_unless_refused(session, _BLIND, BYTES_WRITTEN, self._omitted):
                if reason := blindness(bool(int(on)), bool(silent), int(instruments)):
                    self._omitted[BYTES_WRITTEN] = reason
            self._checked = True
        return rows_unless_refused(session, _FILES, BYTES_WRITTEN, self._omitted)


def blindness(on: bool, silent: bool, instruments: int) -> str:
    """Return why the server does not count bytes of files; empty if it does.

    Args:
        on: whether performance_schema is on.
        silent: whether its consumer global_instrumentation is off.
        instruments: the number of instruments of these files that are off.
    """
    if not on:
        return "performance_schema is off"
    if silent:
        return "the consumer global_instrumentation is off"
    if instruments:
        return f"{instruments} instruments of wait/io/file are off"
    return ""
