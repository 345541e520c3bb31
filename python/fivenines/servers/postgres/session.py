"""A lasting connection to PostgreSQL, at the level of the protocol."""

import time
from typing import Any

from fivenines.base.drivers import psycopg
from fivenines.base.waiting import is_ready
from fivenines.servers.session import Answer, Connectable, RefusedError, Session


class PostgresSession(Session):
    """Uses libpq's asynchronous functions, as psycopg itself waits for an answer without a timeout.

    All values are text, as the server sends them; None is NULL. Statements are prepared once for each
    connection, as planning costs the server more than answering.
    """

    def __init__(self, node: Connectable, timeout: float) -> None:
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
    """Return the last answer to what has been sent."""
    while wire.flush():
        _await([], [wire.socket], deadline)
    answer = Answer([], [])
    failure: Exception | None = None
    while True:
        while wire.is_busy():
            _await([wire.socket], [], deadline)
            wire.consume_input()
        result = wire.get_result()
        if result is None and failure is not None:
            # Only now the connection may be used again.
            raise failure
        if result is None:
            return answer
        if result.status not in (psycopg.pq.ExecStatus.TUPLES_OK, psycopg.pq.ExecStatus.COMMAND_OK):
            failure = _failure(result)
        else:
            answer = _answer(result)


def _failure(result: Any) -> Exception:
    """Return what was wrong; of class 42: no privilege, or no such table, column or function."""
    message = result.error_message.decode(errors="replace").strip()
    state = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE) or b""
    return RefusedError(message) if state.startswith(b"42") else psycopg.OperationalError(message)


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
    if left <= 0 or not is_ready(left, readable, writable):
        raise TimeoutError("the server did not answer in time")
