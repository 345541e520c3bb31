"""Sample the servers' own counters."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from fivenines.base.threads import Background
from fivenines.results.records import Unobserved
from fivenines.servers.base import Server
from fivenines.servers.counters import CounterReader, SideReader
from fivenines.servers.session import Session
from fivenines.trial.observers.sampling import TIMEOUT, Row, SamplingObserver, omitted_of

_Source = tuple[Session, SideReader]


class CounterObserver(SamplingObserver):
    """Table `counters`: the counters of each server, under the server's names.

    Counters of members without SQL are read from a server that has them: the last node that answers, as
    clients write to the first node.
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
        readers = [
            (node, node.monitoring.counters_alongside()) for node in reversed(self.deployed.solution.nodes)
        ]
        sources = [(node.sql.session(TIMEOUT), reader) for node, reader in readers if reader is not None]
        if sources:
            thread = Background(target=self._watch_others, args=(sources,))
            self._threads.append(thread)
            thread.start()

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        if node.name not in self._readers:
            self._readers[node.name] = node.monitoring.counters()
        values = self._readers[node.name](asked)
        return [(node.name, name, value) for name, value in values if self._counts(name)]

    def unobserved(self) -> list[Unobserved]:
        return [*super().unobserved(), *omitted_of(self.deployed.solution.nodes)]

    def _watch_others(self, sources: Sequence[_Source]) -> None:
        while True:
            # The first source that answers has the counters of all members.
            any(self._ask(source[0], partial(self._others, source)) is None for source in sources)
            if self._ended.wait(self._until_next()):
                for session, _ in sources:
                    session.close()
                return

    def _others(self, source: _Source) -> Iterable[Row]:
        session, read = source
        return [row for row in read(session) if self._counts(row[1])]

    def _counts(self, name: str) -> bool:
        if name not in self._wanted:
            self._wanted[name] = self.settings.counts(name)
        return self._wanted[name]
