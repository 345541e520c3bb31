"""Figures and settings that observers read from a running server, under the server's own names."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from fivenines.servers.counters import CounterReader, Omitted, SideReader
from fivenines.servers.in_effect import Asked, Finding, unobserved
from fivenines.servers.lag import LagReader, LagRow
from fivenines.servers.session import Session


class Monitoring(ABC):
    """Counters, reported lag and settings of one server.

    Args:
        name: the server's name, in lag rows and findings.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        # Figures that its readers found missing, and why.
        self.omitted: Omitted = {}

    def counters(self) -> CounterReader:
        """Return the function that reads its counters through a session; by default it reads none."""
        return lambda _session: ()

    def counters_alongside(self) -> SideReader | None:
        """Return the function that reads counters of other members through it; None: it knows none."""
        return None

    def lag(self) -> LagReader:
        """Return the reader of its reported replication lag; by default it reads none."""
        return _NoLag(self.name)

    @abstractmethod
    def effective_settings(self) -> dict[str, str]:
        """Return all settings of the running server, by name."""

    def in_effect(self, asked: Asked) -> list[Finding]:
        """Return settings that are not in effect, and those that the server does not show.

        Raises:
            Exception: the driver's own, if the server does not answer.
        """
        return unobserved(self.name, asked, "it cannot be queried")

    @property
    def of_role(self) -> frozenset[str]:
        """Return the settings, by canonical names, that follow its role."""
        return frozenset()


class _NoLag(LagReader):
    """Reports no lag; the ledger shows the actual lag."""

    def read(self, session: Session, now_ms: Callable[[], float]) -> Iterator[LagRow]:
        return iter(())
