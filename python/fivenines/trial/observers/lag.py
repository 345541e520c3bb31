"""Sample the replication lag that servers report.

The actual lag follows from the tables `ledger` and `views`; see `analysis/replication/lag.py`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from fivenines.results.records import Unobserved
from fivenines.servers.base import Server
from fivenines.servers.lag import LagReader
from fivenines.servers.session import Session
from fivenines.trial.observers.sampling import Row, SamplingObserver, omitted_of


class LagObserver(SamplingObserver):
    """Table `lag`: each value under the server's name for it, or the difference of two values.

    A row belongs to the node that lags, even if another node reports it.
    """

    tables = ("lag",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._readers: dict[str, LagReader] = {}
        # Names in the reports of each node that no node has.
        self._unknown: dict[str, set[str]] = {}

    @property
    def wanted(self) -> bool:
        return self.settings.lag and len(self.deployed.solution.nodes) > 1

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        if node.name not in self._readers:
            self._readers[node.name] = node.monitoring.lag()
        known = {node.name for node in self.deployed.solution.nodes}
        # A standby of an external cluster can report any name.
        rows = list(self._readers[node.name].read(asked, self.now_ms))
        self._unknown[node.name] = {str(row[0]) for row in rows if row[0] not in known}
        return [row for row in rows if row[0] in known]

    def unobserved(self) -> list[Unobserved]:
        unknown = [
            Unobserved(
                node=node,
                what=f"its report of the lag of {', '.join(sorted(names))}",
                why="no node has this name; the report has a standby's application_name",
            )
            for node, names in self._unknown.items()
            if names
        ]
        return [*super().unobserved(), *unknown, *omitted_of(self.deployed.solution.nodes)]

    def last_rows(self) -> Iterable[tuple[float, Row]]:
        nodes = self.deployed.solution.nodes
        uses = Counter(node.host.address for node in nodes)
        # A shared address does not identify a server.
        addresses = {node.host.address: node.name for node in nodes if uses[node.host.address] == 1}
        # All nodes of a solution are of the same kind.
        for reader in list(self._readers.values())[:1]:
            yield from reader.apart(self._readers, addresses, 2500 * self.settings.interval)
