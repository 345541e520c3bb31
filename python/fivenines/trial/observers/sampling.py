"""Observers that sample every server at a fixed interval, with one thread per server.

A frozen or dead server only blocks its own thread, which keeps trying. Its samples are missing while it does
not answer.
"""

import csv
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar

from fivenines.base.errors import brief
from fivenines.base.threads import Background
from fivenines.results.records import Unobserved
from fivenines.servers.base import Server
from fivenines.servers.session import Session
from fivenines.trial.observers.base import Observer

# Time limit of an answer, in seconds.
TIMEOUT = 1.0

# An answer within this time, in ms, is no sign of a server that hangs.
_AT_ONCE_MS = 200.0

# The columns of a table after `t_ms`; None is NULL.
Row = tuple[str | float | None, ...]


class SamplingObserver(Observer):
    """Write the rows of `sample` for each node and time into the table of the subclass.

    All nodes are sampled at the same times: at once, then at multiples of the interval after the start of the
    load. `t_ms` is halfway between request and answer.
    """

    tables: ClassVar[tuple[str, ...]]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ended = threading.Event()
        self._writing = threading.Lock()
        self._threads: list[Background] = []
        self._started_ns = 0
        # Nodes that have not answered yet, with the last error.
        self._silent: dict[str, str] = {}

    @abstractmethod
    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        """Return the current rows of one node.

        Raises:
            Exception: the node did not answer, so there are no rows.
        """

    def last_rows(self) -> Iterable[tuple[float, Row]]:
        """Return rows, with their `t_ms`, that can only be computed after all samples."""
        return ()

    def start(self, started_ns: int) -> None:
        self._started_ns = started_ns
        self._stream = (self.out / f"{self.tables[0]}.csv").open("w", newline="")
        self._writer = csv.writer(self._stream)
        self._writer.writerow(self.columns_of(self.tables[0]))
        for node in self.deployed.solution.nodes:
            thread = Background(target=self._watch, args=(node,))
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(4 * TIMEOUT)
        with self._writing:
            self._writer.writerows((round(t, 1), *row) for t, row in self.last_rows())
            self._stream.close()

    def now_ms(self) -> float:
        """Return the milliseconds since the start of the load."""
        return (time.monotonic_ns() - self._started_ns) / 1e6

    def unobserved(self) -> list[Unobserved]:
        return [
            Unobserved(node=node, what=f"its {self.tables[0]}", why=why) for node, why in self._silent.items()
        ]

    def _watch(self, node: Server) -> None:
        asked = node.sql.session(TIMEOUT)
        answered = False
        while True:
            error = self._ask(asked, partial(self.sample, node, asked))
            answered = answered or error is None
            if answered:
                self._silent.pop(node.name, None)
            elif error is not None:
                self._silent[node.name] = brief(error)
            if self._ended.wait(self._until_next()):
                asked.close()
                return

    def _ask(self, asked: Session, sample: Callable[[], Iterable[Row]]) -> Exception | None:
        """Write the rows of a sample; return the error if there was no answer."""
        connected, began = asked.connected, self.now_ms()
        try:
            rows = list(sample())
        except Exception as error:
            if connected and self.now_ms() - began < _AT_ONCE_MS:
                # The server has ended an idle session (wait_timeout, idle_session_timeout): a new one works.
                asked.close()
                return self._ask(asked, sample)
            # The server is dead, frozen, starting or refusing; it is asked again at the next sample.
            asked.close()
            return error
        moment = round((began + self.now_ms()) / 2, 1)
        self._write([(moment, *row) for row in rows])
        return None

    def _write(self, rows: list[tuple[Any, ...]]) -> None:
        with self._writing:
            if not self._stream.closed:
                self._writer.writerows(rows)

    def _until_next(self) -> float:
        interval = self.settings.interval
        return interval - (self.now_ms() / 1000) % interval


def omitted_of(nodes: Iterable[Server]) -> list[Unobserved]:
    """Return the figures that these nodes do not show, and why."""
    return [
        Unobserved(node=node.name, what=what, why=why)
        for node in nodes
        for what, why in node.monitoring.omitted.items()
    ]
