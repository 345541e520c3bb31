"""External servers of any DBMS with an ODBC driver: plain SQL, without catalogues.

Roles, positions, lag and counters differ between DBMS. Where possible, rows show them: a server that accepts
a row is writable, and a server that has the primary's newest row has everything before it.
"""

import contextlib
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.external import by_odbc
from fivenines.servers.external.by_odbc import OdbcError
from fivenines.servers.external.remote import Target
from fivenines.servers.external.server import LEDGER, PROBES, ExternalServer
from fivenines.servers.monitoring import Monitoring
from fivenines.servers.session import Answer, Session
from fivenines.servers.sql import Sql
from fivenines.software.base import Engine

# Seconds within which a replica must have the primary's newest row; otherwise it lags.
ARRIVES = 2.0

# Dialects without a query for the role, see `crates/sql-wire/src/role.rs`.
NO_ROLE = ("oracle", "sqlserver", "db2")

# Numbers of the rows that are written here, below 0; those of the load's probes are above.
# Failures that say nothing about whether a server accepts rows.
_NO_ANSWER = ("timeout", "connection", "refused")

_MARKS = itertools.count(int(time.time() * 1e6))

# Number of ledger rows for each query, as an answer is limited in size.
_SLICE = 20_000


class ExternalByOdbc(ExternalServer):
    """A server behind a connection string; it has neither `introspection` nor `console`.

    Args:
        host, engine, target: as of all external servers; the password of the target applies to the string.
        odbc: the connection string.
        dialect: its SQL dialect; empty: it is queried.

    Raises:
        FiveninesError: the dialect must be queried, but the server cannot be reached or is unknown.
    """

    def __init__(self, host: Host, engine: Engine, target: Target, odbc: str, dialect: str = "") -> None:
        super().__init__(host, engine, target)
        self.sql = OdbcSql(self)
        self.monitoring = OdbcMonitoring(self)
        self.string = odbc
        self.odbc = f"odbc:{odbc}"
        self.driver = by_odbc.known(dialect or self._dialect())

    def _dialect(self) -> str:
        answer = by_odbc.ask(self.string, self.target.password, 5.0)
        if answer["dialect"] is None:
            raise UsageError(
                f"{self.name}: the driver reports the unknown DBMS {answer['dbms']!r}: set `dialect` to its "
                f"SQL dialect: {', '.join(by_odbc.DIALECTS)}"
            )
        return str(answer["dialect"])

    @property
    def endpoint(self) -> str:
        return super().endpoint if self.port else self.target.host

    def tls_flags(self) -> list[str]:
        return []

    def own_address(self) -> list[str]:
        return ["--odbc", self.string]

    @property
    def watched_at(self) -> str:
        # The watch speaks protocols, not ODBC.
        return ""

    def answers(self) -> bool:
        """Return whether it accepts connections: no statement without a table works on every DBMS."""
        with contextlib.suppress(Exception), self.sql.connect():
            return True
        return False

    def listens(self) -> bool:
        # Only the driver knows the way to the server.
        return False

    def refusal(self) -> str:
        try:
            with self.sql.connect():
                return ""
        except FiveninesError as error:
            return str(error)

    def takes_writes(self) -> bool:
        """Return whether it accepts a row, which is deleted afterwards."""
        with self.sql.connect() as connection:
            number = -next(_MARKS)
            try:
                self._mark(connection, number)
            except OdbcError as error:
                if error.kind in _NO_ANSWER:
                    raise
                return False
            # The row was accepted; a failed deletion does not matter.
            with contextlib.suppress(Exception):
                connection.execute(f"DELETE FROM {PROBES} WHERE id = {number}")
            return True

    def _mark(self, connection: Any, number: int) -> None:
        """Write one row into the table of probes, which is created if it is missing."""
        insert = f"INSERT INTO {PROBES}(id) VALUES ({number})"
        try:
            connection.execute(insert)
        except OdbcError as error:
            if error.kind != "missing_table":
                raise
            number_type = "NUMBER(19)" if self.driver == "oracle" else "BIGINT"
            # Another process may create it at the same time, so the row decides.
            with contextlib.suppress(OdbcError):
                connection.execute(f"CREATE TABLE {PROBES} (id {number_type} NOT NULL PRIMARY KEY)")
            connection.execute(insert)

    def born(self) -> float | None:
        """Return 0 for a server that answers, as its start is unknown."""
        return 0.0 if self.answers() else None

    def follows(self) -> str:
        return ""

    def behind(self, primary: Server) -> str:
        """Write a row at the primary, and look for it here."""
        assert isinstance(primary, ExternalByOdbc)
        number = -next(_MARKS)
        with primary.sql.connect(ARRIVES) as giver:
            primary._mark(giver, number)
            given = time.monotonic()
            try:
                with self.sql.connect(ARRIVES) as connection:
                    while not self._has(connection, number):
                        if time.monotonic() > given + ARRIVES:
                            return f"{self.name} lacks the row that {primary.name} got {ARRIVES:g} s ago"
                        time.sleep(0.02)
            finally:
                with contextlib.suppress(Exception):
                    giver.execute(f"DELETE FROM {PROBES} WHERE id = {number}")
        return ""

    def _has(self, connection: Any, number: int) -> bool:
        query = f"SELECT id FROM {PROBES} WHERE id = {number}{self.unlocked}"
        try:
            return bool(connection.execute(query).fetchall())
        except OdbcError as error:
            # The table itself has not arrived yet.
            if error.kind == "missing_table":
                return False
            raise

    @property
    def unlocked(self) -> str:
        """Return the suffix of a SELECT at a standby (IBM Db2, "Reads on standby restrictions")."""
        return " WITH UR" if self.driver == "db2" else ""

    def drop_own_tables(self) -> None:
        with self.sql.connect(30.0) as connection:
            for table in (LEDGER, PROBES):
                try:
                    connection.execute(f"DROP TABLE {table}")
                except OdbcError as error:
                    if error.kind != "missing_table":
                        raise


class OdbcSql(Sql):
    """Connections through a driver of ODBC."""

    def __init__(self, server: ExternalByOdbc) -> None:
        super().__init__(server.name, server.passwords)
        self._server = server

    @contextlib.contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        server = self._server
        with by_odbc.Connection(
            server.string, server.target.password, server.driver, timeout, timeout
        ) as connection:
            yield connection

    def open_data(self, timeout: float = 2.0) -> contextlib.AbstractContextManager[Any]:
        return self.connect(timeout)

    def session(self, timeout: float) -> Session:
        return _OdbcSession(self, timeout)

    def run_file(self, file: Path) -> None:
        raise FiveninesError(
            f"{file}: SQL files cannot be run through ODBC: run it with the DBMS' own client, and set "
            "`prepare: false`"
        )

    def ledger_rows(self, timeout: float = 30.0) -> list[tuple[int, int | None]]:
        """Return the ledger's ids, without the server's clock."""
        with self.connect(timeout) as connection:
            try:
                query = f"SELECT MAX(id) FROM {LEDGER}{self._server.unlocked}"
                ((greatest,),) = connection.execute(query).fetchall()
            except OdbcError as error:
                if error.kind == "missing_table":
                    return []
                raise
            ids: list[tuple[int, int | None]] = []
            for start in range(0, int(greatest or 0) + 1, _SLICE):
                some = f"id >= {start} AND id < {start + _SLICE}{self._server.unlocked}"
                rows = connection.execute(f"SELECT id FROM {LEDGER} WHERE {some}")
                ids += [(int(number), None) for (number,) in rows]
            return ids


class _OdbcSession(Session):
    def _ask(self, statement: str) -> Answer:
        cursor = self._connection.execute(statement)
        return Answer([name for (name,) in cursor.description or []], cursor.fetchall())


class OdbcMonitoring(Monitoring):
    """Reads neither counters nor lag; the ledger shows the actual lag."""

    def __init__(self, server: ExternalByOdbc) -> None:
        super().__init__(server.name)
        self._server = server

    def effective_settings(self) -> dict[str, str]:
        """Return what the driver reports about the DBMS, whose settings differ in place and form."""
        answer = by_odbc.ask(self._server.string, self._server.target.password, 5.0)
        return {"dbms": answer["dbms"], "version": answer["version"], "dialect": self._server.driver}
