"""Readers of the replication lag that a server reports."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Self

from fivenines.servers.counters import Omitted
from fivenines.servers.session import Session

# The lagging node, the server's name of the figure, its value (None: NULL), and the unit.
LagRow = tuple[str | float | None, ...]


class LagReader(ABC):
    """Reads one node, and keeps what can be compared with other nodes.

    Args:
        name: of the node.
        omitted: gets figures that the server does not show, and why.
    """

    def __init__(self, name: str, omitted: Omitted | None = None) -> None:
        self.name = name
        self.omitted: Omitted = {} if omitted is None else omitted

    @abstractmethod
    def read(self, session: Session, now_ms: Callable[[], float]) -> Iterator[LagRow]:
        """Yield what the node itself reports now; `now_ms` is the clock of the table."""

    @classmethod
    def apart(
        cls, readers: Mapping[str, Self], addresses: Mapping[str, str], longest_gap: float
    ) -> Iterable[tuple[float, LagRow]]:
        """Yield times (ms) and rows about each node relative to others.

        Args:
            readers: by node name; all of this kind.
            addresses: node name by address, for addresses of a single node.
            longest_gap: between two samples of a position, in ms; longer gaps yield nothing.
        """
        return []
