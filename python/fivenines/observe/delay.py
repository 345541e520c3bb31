"""What the servers say about their replication delay, at a set interval.

The truth beside it is in the tables `ledger` and `views`; see `analysis/delay.py`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from fivenines.observe.sampling import Row, SamplingObserver
from fivenines.servers.base import Server
from fivenines.servers.delay import DelayReader
from fivenines.servers.session import Session


class DelayObserver(SamplingObserver):
    """Table `delay`: each figure under the server's own name, or as the difference of two of them.

    A row belongs to the node that lags, whoever told it.
    """

    tables = ("delay",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._readers: dict[str, DelayReader] = {}

    @property
    def wanted(self) -> bool:
        return self.settings.lag and len(self.deployed.solution.nodes) > 1

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        if node.name not in self._readers:
            self._readers[node.name] = node.delay()
        known = {one.name for one in self.deployed.solution.nodes}
        # a standby may call itself as it likes, where fivenines has not set it up
        rows = self._readers[node.name].read(asked, self.now_ms)
        return [row for row in rows if row[0] in known]

    def last_rows(self) -> Iterable[tuple[float, Row]]:
        nodes = self.deployed.solution.nodes
        often = Counter(node.host.address for node in nodes)
        # servers that share an address cannot be told apart by it
        addresses = {node.host.address: node.name for node in nodes if often[node.host.address] == 1}
        # the nodes of a solution are of one kind
        for reader in list(self._readers.values())[:1]:
            yield from reader.apart(self._readers, addresses, 2500 * self.settings.interval)
