"""Failover of MySQL replication by GTID (MySQL 9 reference manual, "Switching Sources During Failover")."""

import contextlib
import ssl
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pymysql
import pymysql.cursors

from fivenines.managers.control import Address, Control
from fivenines.servers.base import REPLICATION
from fivenines.servers.mysql_group import transactions
from fivenines.servers.mysql_replicating import (
    NO_SEMI_SYNC_PRIMARY,
    READ_ONLY,
    SEMI_SYNC_PRIMARY,
    WRITABLE,
    follow,
)

_APPLY_TIMEOUT = 300.0
"""Longest wait, in seconds, until a replica has applied what it has received."""

_PATIENCE = 10.0
"""Longest wait, in seconds, for the answer to one statement of a promotion: threads have to stop first."""

_POSITIONS = (
    "SELECT RECEIVED_TRANSACTION_SET AS received, @@global.gtid_executed AS executed, "
    "GTID_SUBSET(RECEIVED_TRANSACTION_SET, @@global.gtid_executed) AS applied "
    "FROM performance_schema.replication_connection_status WHERE CHANNEL_NAME = ''"
)


class MysqlControl(Control):
    """By SQL alone; positions are numbers of transactions."""

    def __init__(self, timeout: float) -> None:
        super().__init__(timeout)
        # passwords are asked for in TLS; the servers' certificates are of their own making
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._tls.check_hostname = False
        self._tls.verify_mode = ssl.CERT_NONE

    def check(self, address: Address) -> str:
        try:
            with self._cursor(address) as cursor:
                cursor.execute("SELECT @@global.read_only AS read_only")
                row = cursor.fetchone()
        except (pymysql.Error, OSError) as error:
            return str(error.args[-1])
        return "it is read-only" if row and row["read_only"] else ""

    def position(self, address: Address) -> int | None:
        try:
            with self._cursor(address) as cursor:
                cursor.execute(_POSITIONS)
                row = cursor.fetchone()
                if not row:
                    return None
                # what it has received may be executed in part: neither set contains the other
                both = ",".join(filter(None, (_plain(row["received"]), _plain(row["executed"]))))
                cursor.execute("SELECT GTID_SUBTRACT(%s, '') AS known", (both,))
                return transactions(cursor.fetchone()["known"])
        except (pymysql.Error, OSError):
            return None

    def promote(self, address: Address, others: Sequence[str]) -> None:
        with self._cursor(address, _PATIENCE) as cursor:
            cursor.execute("STOP REPLICA IO_THREAD")
            self._apply_all(cursor)
            cursor.execute("STOP REPLICA")
            cursor.execute("RESET REPLICA ALL")
            for statement in (*([SEMI_SYNC_PRIMARY] if others else []), *WRITABLE):
                cursor.execute(statement)

    def repoint(self, address: Address, name: str, primary: Address) -> None:
        with self._cursor(address, _PATIENCE) as cursor:
            for statement in follow(primary[0]):
                cursor.execute(statement)

    def demote(self, address: Address) -> int | None:
        with self._cursor(address, _PATIENCE) as cursor:
            # waits for commits under way; who writes afterwards is refused
            cursor.execute(READ_ONLY)
            cursor.execute("SELECT @@global.gtid_executed AS executed")
            return transactions(cursor.fetchone()["executed"])

    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        with self._cursor(address, _PATIENCE) as cursor:
            # the variable is there only where its plugin is
            cursor.execute("SHOW GLOBAL VARIABLES LIKE 'rpl_semi_sync_source_enabled'")
            if cursor.fetchone():
                cursor.execute(NO_SEMI_SYNC_PRIMARY)
        self.repoint(address, name, primary)

    def _apply_all(self, cursor: Any) -> None:
        deadline = time.monotonic() + _APPLY_TIMEOUT
        while time.monotonic() < deadline:
            cursor.execute(_POSITIONS)
            row = cursor.fetchone()
            if row is None or row["applied"]:
                return
            time.sleep(0.01)
        raise RuntimeError(f"it did not apply its relay log within {_APPLY_TIMEOUT:g} s")

    @contextlib.contextmanager
    def _cursor(self, address: Address, patience: float | None = None) -> Iterator[Any]:
        host, port = address
        bound = max(1, round(self.timeout))
        connection = pymysql.connect(
            host=host,
            port=port,
            user=REPLICATION[0],
            password=REPLICATION[1],
            connect_timeout=bound,
            read_timeout=patience or bound,
            write_timeout=bound,
            autocommit=True,
            ssl=self._tls,
            cursorclass=pymysql.cursors.DictCursor,
        )
        with connection, connection.cursor() as cursor:
            yield cursor


def _plain(gtids: str | None) -> str:
    return (gtids or "").replace("\n", "")
