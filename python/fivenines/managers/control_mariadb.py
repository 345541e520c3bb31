"""Failover of MariaDB replication by GTID (MariaDB documentation, "Global Transaction ID")."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pymysql
import pymysql.cursors

from fivenines.managers.control import Address, Control
from fivenines.servers.base import REPLICATION
from fivenines.servers.mariadb import FORMER_PRIMARY, SEMI_SYNC_PRIMARY, WRITABLE, follow

_APPLY_TIMEOUT = 300.0
"""Longest wait, in seconds, until a replica has applied what it has received."""

_PATIENCE = 10.0
"""Longest wait, in seconds, for the answer to one statement of a promotion: threads have to stop first."""


class MariadbControl(Control):
    """By SQL alone."""

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
                cursor.execute("SHOW REPLICA STATUS")
                row = cursor.fetchone()
        except (pymysql.Error, OSError):
            return None
        return sequence(row["Gtid_IO_Pos"]) if row else None

    def promote(self, address: Address, others: Sequence[str]) -> None:
        with self._cursor(address, _PATIENCE) as cursor:
            cursor.execute("STOP SLAVE IO_THREAD")
            self._apply_all(cursor)
            cursor.execute("STOP SLAVE")
            cursor.execute("RESET SLAVE ALL")
            if others:
                cursor.execute(SEMI_SYNC_PRIMARY)
            cursor.execute(WRITABLE)

    def repoint(self, address: Address, name: str, primary: Address) -> None:
        with self._cursor(address, _PATIENCE) as cursor:
            for statement in follow(primary[0]):
                cursor.execute(statement)

    def demote(self, address: Address) -> int | None:
        with self._cursor(address, _PATIENCE) as cursor:
            # waits for commits under way; who writes afterwards is refused
            cursor.execute("SET GLOBAL read_only = 1")
            cursor.execute("SELECT @@global.gtid_binlog_pos AS written")
            return sequence(cursor.fetchone()["written"])

    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        with self._cursor(address, _PATIENCE) as cursor:
            for statement in (*FORMER_PRIMARY, *follow(primary[0])):
                cursor.execute(statement)

    def _apply_all(self, cursor: Any) -> None:
        deadline = time.monotonic() + _APPLY_TIMEOUT
        while time.monotonic() < deadline:
            cursor.execute("SHOW REPLICA STATUS")
            received = sequence(cursor.fetchone()["Gtid_IO_Pos"])
            cursor.execute("SELECT @@global.gtid_slave_pos AS applied")
            if sequence(cursor.fetchone()["applied"]) >= received:
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
            ssl_disabled=True,
            cursorclass=pymysql.cursors.DictCursor,
        )
        with connection, connection.cursor() as cursor:
            yield cursor


def sequence(position: str | None) -> int:
    """The sequence number of a GTID position of one domain: 0-1-4711 has 4711; empty is 0."""
    return max((int(part.split("-")[2]) for part in (position or "").split(",") if part), default=0)
