"""The servers' own counters, at a set interval."""

from collections.abc import Callable, Iterable
from typing import Any

from fivenines.observe import counters_mariadb, counters_mysql
from fivenines.observe.counters_postgres import PostgresCounters
from fivenines.observe.sampling import Row, SamplingObserver
from fivenines.observe.session import Session
from fivenines.servers.base import Server
from fivenines.servers.mysql import Mysql

Reader = Callable[[Session], Iterable[tuple[str, float]]]


class CounterObserver(SamplingObserver):
    """Table `counters`: what each server counts, under its own names."""

    tables = ("counters",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._readers: dict[str, Reader] = {}
        self._wanted: dict[str, bool] = {}

    @property
    def wanted(self) -> bool:
        return bool(self.settings.counters)

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        reader = self._readers.setdefault(node.name, _reader(node))
        return [(node.name, name, value) for name, value in reader(asked) if self._counts(name)]

    def _counts(self, name: str) -> bool:
        if name not in self._wanted:
            self._wanted[name] = self.settings.counts(name)
        return self._wanted[name]


def _reader(node: Server) -> Reader:
    if isinstance(node, Mysql):
        return counters_mysql.read
    if node.driver == "postgres":
        return PostgresCounters(node.database).read
    return counters_mariadb.read
