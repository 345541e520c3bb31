"""What reads the replication delay that a server tells."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Self

from fivenines.servers.session import Session

DelayRow = tuple[str | float | None, ...]
"""The node that lags, the figure under the server's own name, its value (None: NULL), and the unit."""


class DelayReader(ABC):
    """Reads one node, and keeps what says more beside the others.

    Args:
        name: of the node.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def read(self, asked: Session, now_ms: Callable[[], float]) -> Iterator[DelayRow]:
        """What the node itself says now; `now_ms` is the clock of the table."""

    @classmethod
    def apart(
        cls, readers: Mapping[str, Self], addresses: Mapping[str, str], longest_gap: float
    ) -> Iterable[tuple[float, DelayRow]]:
        """Moments (ms) and rows about each node against others.

        Args:
            readers: by the name of the node; all of this kind.
            addresses: name of a node by its address, where that is its alone.
            longest_gap: between two samples of a position, in ms; nothing is said across a longer one.
        """
        return []
