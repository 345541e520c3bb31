"""The servers' own counters, at a set interval."""

import threading
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from fivenines.observe.sampling import TIMEOUT, Row, SamplingObserver
from fivenines.servers.base import Server
from fivenines.servers.counters import CounterReader, SideReader
from fivenines.servers.session import Session

_Way = tuple[Session, SideReader]


class CounterObserver(SamplingObserver):
    """Table `counters`: what each server counts, under its own names.

    Members that speak no SQL are asked through a server that knows them: the last one that answers, as
    clients write to the first one.
    """

    tables = ("counters",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._readers: dict[str, CounterReader] = {}
        self._wanted: dict[str, bool] = {}

    @property
    def wanted(self) -> bool:
        return bool(self.settings.counters)

    def start(self, started_ns: int) -> None:
        super().start(started_ns)
        found = [(node, node.counters_alongside()) for node in reversed(self.deployed.solution.nodes)]
        ways = [(node.session(TIMEOUT), reader) for node, reader in found if reader is not None]
        if ways:
            thread = threading.Thread(target=self._watch_beside, args=(ways,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        if node.name not in self._readers:
            self._readers[node.name] = node.counters()
        values = self._readers[node.name](asked)
        return [(node.name, name, value) for name, value in values if self._counts(name)]

    def _watch_beside(self, ways: Sequence[_Way]) -> None:
        while True:
            # the first one that answers has told all
            any(self._ask(way[0], partial(self._beside, way)) for way in ways)
            if self._ended.wait(self._until_next()):
                for asked, _ in ways:
                    asked.close()
                return

    def _beside(self, way: _Way) -> Iterable[Row]:
        asked, read = way
        return [row for row in read(asked) if self._counts(row[1])]

    def _counts(self, name: str) -> bool:
        if name not in self._wanted:
            self._wanted[name] = self.settings.counts(name)
        return self._wanted[name]
