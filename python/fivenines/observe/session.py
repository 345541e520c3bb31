"""A connection to a server that lasts over many samples, and survives what becomes of the server.

It goes through the server's unix socket. Every step is bounded, since a frozen server answers nothing:
its listening socket still takes connections, and a query sent to it waits for ever.
"""

import contextlib
import select
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.pq import ExecStatus

from fivenines.servers.base import Server


@dataclass(frozen=True)
class Answer:
    """The names of the columns, and the rows."""

    columns: list[str]
    rows: list[tuple[Any, ...]]

    def mappings(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Session(ABC):
    """Connects at the first question, and again at the next one after any failure."""

    def __init__(self, node: Server, timeout: float) -> None:
        self._node = node
        self._timeout = timeout
        self._open = contextlib.ExitStack()
        self._connection: Any = None

    def ask(self, statement: str) -> Answer:
        """The answer to one statement, within the time-out.

        Raises:
            Exception: the driver's own; the connection is then closed.
        """
        try:
            if self._connection is None:
                self._connection = self._open.enter_context(self._node.connect(self._timeout))
            return self._ask(statement)
        except Exception:
            self.close()
            raise

    @property
    def connected(self) -> bool:
        """Whether the last question was answered."""
        return self._connection is not None

    def close(self) -> None:
        """Hang up, without waiting for anything."""
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._hang_up()
        with contextlib.suppress(Exception):
            self._open.close()
        self._connection = None

    @abstractmethod
    def _ask(self, statement: str) -> Answer: ...

    def _hang_up(self) -> None:  # noqa: B027  (most drivers need nothing)
        """What must come before the driver's own way of closing, which may wait."""


class MariadbSession(Session):
    """Bounded by the driver's own time-outs on the socket."""

    def _ask(self, statement: str) -> Answer:
        with self._connection.cursor() as cursor:
            cursor.execute(statement)
            columns = [column[0] for column in cursor.description or ()]
            return Answer(columns, list(cursor.fetchall()))


class PostgresSession(Session):
    """Speaks libpq's asynchronous functions: psycopg itself waits without a bound for an answer.

    All values are text, as the server sends them; None is NULL. Statements are prepared once for each
    connection, as planning costs the server more than answering.
    """

    def __init__(self, node: Server, timeout: float) -> None:
        super().__init__(node, timeout)
        self._prepared: dict[str, bytes] = {}

    def _ask(self, statement: str) -> Answer:
        wire = self._connection.pgconn
        deadline = time.monotonic() + self._timeout
        if statement not in self._prepared:
            name = f"fivenines_{len(self._prepared)}".encode()
            wire.send_prepare(name, statement.encode())
            _results(wire, deadline)
            self._prepared[statement] = name
        wire.send_query_prepared(self._prepared[statement], [])
        return _results(wire, deadline)

    def _hang_up(self) -> None:
        self._prepared.clear()
        self._connection.pgconn.finish()


def _results(wire: Any, deadline: float) -> Answer:
    """The last answer to what has been sent."""
    while wire.flush():
        _await([], [wire.socket], deadline)
    answer = Answer([], [])
    while True:
        while wire.is_busy():
            _await([wire.socket], [], deadline)
            wire.consume_input()
        result = wire.get_result()
        if result is None:
            return answer
        if result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
            raise psycopg.OperationalError(result.error_message.decode(errors="replace"))
        answer = _answer(result)


def _answer(result: Any) -> Answer:
    columns = [result.fname(index).decode() for index in range(result.nfields)]
    rows = [
        tuple(_text(result.get_value(row, column)) for column in range(result.nfields))
        for row in range(result.ntuples)
    ]
    return Answer(columns, rows)


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="replace")


def _await(readable: list[int], writable: list[int], deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0 or not any(select.select(readable, writable, [], left)):
        raise TimeoutError("the server did not answer in time")


def session(node: Server, timeout: float) -> Session:
    """A session with this kind of server."""
    kind = PostgresSession if node.driver == "postgres" else MariadbSession
    return kind(node, timeout)
