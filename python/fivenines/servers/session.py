"""A connection to a server that lasts over many samples, and survives restarts of the server.

It uses the server's unix socket. Every step has a timeout, since a frozen server answers nothing: its
listening socket still accepts connections, and a query waits for ever.
"""

import contextlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol


class RefusedError(Exception):
    """The server answers that it does not show this: to this account, with this configuration, or at all."""


@dataclass(frozen=True)
class Answer:
    """The names of the columns, and the rows."""

    columns: list[str]
    rows: list[tuple[Any, ...]]

    def mappings(self) -> list[dict[str, Any]]:
        """Return the rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Connectable(Protocol):
    """A server that an administrator can connect to."""

    def connect(self, timeout: float) -> contextlib.AbstractContextManager[Any]:
        """Open a connection; all of its steps have the timeout, in seconds."""


class Session(ABC):
    """Connects at the first query, and again at the next query after a failure."""

    def __init__(self, node: Connectable, timeout: float) -> None:
        self._node = node
        self._timeout = timeout
        self._open = contextlib.ExitStack()
        self._connection: Any = None

    def ask(self, statement: str) -> Answer:
        """Return the answer to one statement, within the timeout.

        Raises:
            RefusedError: the server does not show it; the connection stays open.
            Exception: the driver's own; the connection is then closed.
        """
        try:
            if self._connection is None:
                self._connection = self._open.enter_context(self._node.connect(self._timeout))
            return self._ask(statement)
        except RefusedError:
            raise
        except Exception:
            self.close()
            raise

    @property
    def connected(self) -> bool:
        """Return whether the last query was answered."""
        return self._connection is not None

    def close(self) -> None:
        """Close the connection without waiting."""
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._hang_up()
        with contextlib.suppress(Exception):
            self._open.close()
        self._connection = None

    @abstractmethod
    def _ask(self, statement: str) -> Answer: ...

    def _hang_up(self) -> None:  # noqa: B027  (most drivers need nothing)
        """Prepare the driver's own close, which may wait."""
