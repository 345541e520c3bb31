"""Common operations of the operator on MariaDB and MySQL; subclasses contain statements and positions."""

import contextlib
import threading
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from fivenines.base.drivers import pymysql
from fivenines.base.threads import Background
from fivenines.servers.base import REPLICATION
from fivenines.servers.control import Address, Control, ServerFullError
from fivenines.servers.mysql_family.opened import opened
from fivenines.servers.mysql_family.replication import Replicating

# Too many connections of the server, of this user, and in this hour (MySQL error reference).
_FULL = (1040, 1203, 1226)

# Longest wait, in seconds, until a replica has applied what it has received.
_APPLY_TIMEOUT = 300.0

# Longest wait, in seconds, for the answer to one statement of a promotion: threads have to stop first.
PATIENCE = 10.0

# Seconds that transactions may wait for each other while a server becomes read-only.
_WAITING_AT_MOST = 0.5

_WAITING = (
    "SELECT trx_mysql_thread_id AS id FROM information_schema.innodb_trx "
    "WHERE trx_state = 'LOCK WAIT' AND trx_mysql_thread_id > 0"
)


class MysqlFamilyControl(Control):
    """Operations by SQL only."""

    stop_receiving: ClassVar[str]
    # Statements after which a server follows no primary.
    forget_primary: ClassVar[tuple[str, ...]]

    # Statements of this kind of server for replication and writability.
    replicating: ClassVar[Replicating]

    # Encryption of connections, as arguments of pymysql.
    encryption: dict[str, Any]

    @abstractmethod
    def applied(self, cursor: Any) -> bool:
        """Return whether a replica has applied all that it has received."""

    def check(self, address: Address) -> str:
        try:
            with self.cursor(address) as cursor:
                cursor.execute("SELECT CONCAT(@@global.read_only) NOT IN ('0', 'OFF') AS read_only")
                row = cursor.fetchone()
        except (pymysql.Error, OSError) as error:
            if error.args[0] in _FULL:
                raise ServerFullError(error.args[-1]) from error
            return str(error.args[-1])
        return "it is read-only" if row and row["read_only"] else ""

    def uptime(self, address: Address) -> float | None:
        row = self.row(address, "SHOW GLOBAL STATUS LIKE 'Uptime'")
        # Whole seconds.
        return float(row["Value"]) + 1.0 if row else None

    def row(self, address: Address, statement: str) -> dict[str, Any] | None:
        """Return the first row of a statement; None without a row or an answer."""
        try:
            with self.cursor(address) as cursor:
                cursor.execute(statement)
                found: dict[str, Any] | None = cursor.fetchone()
        except (pymysql.Error, OSError):
            return None
        return found

    def promote(self, address: Address, others: Sequence[str]) -> None:
        with self.cursor(address, PATIENCE) as cursor:
            cursor.execute(self.stop_receiving)
            self._apply_all(cursor)
            waiting = self.replicating.wait_for_replicas if others else ()
            for statement in (*self.forget_primary, *waiting, *self.replicating.writable):
                cursor.execute(statement)

    def undo_demote(self, address: Address) -> None:
        self.run_all(address, *self.replicating.writable)

    def run_all(self, address: Address, *statements: str) -> None:
        """Run statements one after another on a server."""
        with self.cursor(address, PATIENCE) as cursor:
            for statement in statements:
                cursor.execute(statement)

    @contextlib.contextmanager
    def read_only(self, address: Address, statement: str) -> Iterator[Any]:
        """Make a server read-only and yield its cursor; undo it if that fails.

        The statement waits for running statements, and lets no other change begin. One that waits for a row
        of a transaction which may not continue would wait for ever: such transactions are ended, as MHA ends
        all.
        """
        with self.cursor(address, PATIENCE) as cursor:
            cursor.execute(f"SET SESSION lock_wait_timeout = {round(PATIENCE - 2)}")
            done = threading.Event()
            ending = Background(target=self._end_waiting, args=(address, done))
            ending.start()
            try:
                cursor.execute(statement)
            finally:
                done.set()
                ending.join()
            yield cursor

    def _end_waiting(self, address: Address, done: threading.Event) -> None:
        while not done.wait(_WAITING_AT_MOST):
            with contextlib.suppress(pymysql.Error, OSError), self.cursor(address) as cursor:
                cursor.execute(_WAITING)
                for row in cursor.fetchall():
                    cursor.execute(f"KILL {row['id']}")

    def repoint(self, address: Address, name: str, primary: Address) -> None:
        self.run_all(address, *self.replicating.follow(primary[0], self.password))

    def _apply_all(self, cursor: Any) -> None:
        deadline = time.monotonic() + _APPLY_TIMEOUT
        while time.monotonic() < deadline:
            if self.applied(cursor):
                return
            time.sleep(0.01)
        raise RuntimeError(f"it did not apply its relay log within {_APPLY_TIMEOUT:g} s")

    @contextlib.contextmanager
    def cursor(self, address: Address, patience: float | None = None) -> Iterator[Any]:
        """Open a short connection and yield its cursor; `patience`: timeout of answers in seconds."""
        host, port = address
        connection = opened(
            host=host,
            port=port,
            user=REPLICATION,
            password=self.password,
            connect_timeout=self.timeout,
            read_timeout=patience or self.timeout,
            write_timeout=self.timeout,
            autocommit=True,
            cursorclass=pymysql.cursors.DictCursor,
            **self.encryption,
        )
        with connection, connection.cursor() as cursor:
            yield cursor
