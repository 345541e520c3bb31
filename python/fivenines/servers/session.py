"""A connection to a server that lasts over many samples, and survives what becomes of the server.

It goes through the server's unix socket. Every step is bounded, since a frozen server answers nothing:
its listening socket still takes connections, and a query sent to it waits for ever.
"""

import contextlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Answer:
    """The names of the columns, and the rows."""

    columns: list[str]
    rows: list[tuple[Any, ...]]

    def mappings(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Connectable(Protocol):
    """A server that an administrator can connect to."""

    def connect(self, timeout: float) -> contextlib.AbstractContextManager[Any]:
        """A connection, all of whose steps are bounded by the time-out in seconds."""


class Session(ABC):
    """Connects at the first question, and again at the next one after any failure."""

    def __init__(self, node: Connectable, timeout: float) -> None:
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
