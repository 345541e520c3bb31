"""What reads the counters of a server, and which there are."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fivenines.servers.session import Session

CounterReader = Callable[[Session], Iterable[tuple[str, float]]]
"""Names, as the server calls them, and values now."""

SideReader = Callable[[Session], Iterable[tuple[str, str, float]]]
"""The same of members that are asked through a server: the member's name first."""


@dataclass(frozen=True)
class Catalogue:
    """The counters that are kept of a kind of server.

    Attributes:
        names: one by one.
        groups: beginnings of further names, of which nobody has a list.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]

    def has(self, name: str) -> bool:
        """Whether there may be a counter of this name."""
        return name in self.names or name.startswith(self.groups)
