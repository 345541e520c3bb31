"""The servers' own counters, at a set interval."""

from collections.abc import Iterable
from typing import Any

from fivenines.observe.sampling import Row, SamplingObserver
from fivenines.servers.base import Server
from fivenines.servers.counters import CounterReader
from fivenines.servers.session import Session


class CounterObserver(SamplingObserver):
    """Table `counters`: what each server counts, under its own names."""

    tables = ("counters",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._readers: dict[str, CounterReader] = {}
        self._wanted: dict[str, bool] = {}

    @property
    def wanted(self) -> bool:
        return bool(self.settings.counters)

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        if node.name not in self._readers:
            self._readers[node.name] = node.counters()
        values = self._readers[node.name](asked)
        return [(node.name, name, value) for name, value in values if self._counts(name)]

    def _counts(self, name: str) -> bool:
        if name not in self._wanted:
            self._wanted[name] = self.settings.counts(name)
        return self._wanted[name]
