"""Figures of an SQL node and of the data nodes."""

from collections.abc import Iterator, Mapping
from functools import partial

from fivenines.servers.base import Server
from fivenines.servers.counters import CounterReader, SideReader
from fivenines.servers.mysql.counters import MysqlCounters
from fivenines.servers.mysql.monitoring import MysqlMonitoring
from fivenines.servers.ndb import counters
from fivenines.servers.session import Session


class SqlNodeMonitoring(MysqlMonitoring):
    """Also reads counters of the data nodes."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        # The names of the data nodes by id.
        self.data_nodes: Mapping[int, str] = {}

    def counters(self) -> CounterReader:
        return partial(counters.read, of_mysql=MysqlCounters(self.omitted))

    def counters_alongside(self) -> SideReader | None:
        def read(session: Session) -> Iterator[tuple[str, str, float]]:
            for number, name, value in counters.read_data_nodes(session):
                if number in self.data_nodes:
                    yield self.data_nodes[number], name, value

        return read
