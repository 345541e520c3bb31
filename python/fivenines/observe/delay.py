"""What the servers say about their replication delay, at a set interval.

The truth beside it is in the tables `ledger` and `views`; see `analysis/delay.py`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from fivenines.observe import delay_mysql, delay_postgres
from fivenines.observe.delay_mariadb import MariadbDelay, apart
from fivenines.observe.delay_mysql import MysqlDelay
from fivenines.observe.sampling import Row, SamplingObserver
from fivenines.observe.session import Session
from fivenines.servers.base import Server
from fivenines.servers.mysql import Mysql


class DelayObserver(SamplingObserver):
    """Table `delay`: each figure under the server's own name, or as the difference of two of them.

    A row belongs to the node that lags, whoever told it.
    """

    tables = ("delay",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._mariadb: dict[str, MariadbDelay] = {}
        self._mysql: dict[str, MysqlDelay] = {}

    @property
    def wanted(self) -> bool:
        return self.settings.delay and len(self.deployed.solution.nodes) > 1

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        if node.driver == "postgres":
            known = {one.name for one in self.deployed.solution.nodes}
            # a standby may call itself as it likes, where fivenines has not set it up
            return [row for row in delay_postgres.read(node.name, asked) if row[0] in known]
        if isinstance(node, Mysql):
            return self._mysql.setdefault(node.name, MysqlDelay(node.name)).read(asked, self.now_ms)
        reader = self._mariadb.setdefault(node.name, MariadbDelay(node.name))
        return reader.read(asked, self.now_ms)

    def last_rows(self) -> Iterable[tuple[float, Row]]:
        nodes = self.deployed.solution.nodes
        often = Counter(node.host.address for node in nodes)
        # servers that share an address cannot be told apart by it
        addresses = {
            node.host.address: node.name for node in nodes if often[node.host.address] == 1
        }
        longest_gap = 2500 * self.settings.interval
        yield from apart(self._mariadb, addresses, longest_gap)
        yield from delay_mysql.apart(self._mysql, longest_gap)
