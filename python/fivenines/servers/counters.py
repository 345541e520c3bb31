"""Readers of server counters, and catalogues of counters."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fivenines.servers.session import Session

# Yields names, as the server calls them, and current values.
CounterReader = Callable[[Session], Iterable[tuple[str, float]]]

# Yields the same for members that are queried through a server, with the member's name first.
SideReader = Callable[[Session], Iterable[tuple[str, str, float]]]


@dataclass(frozen=True)
class Catalogue:
    """The counters that are recorded for a kind of server.

    Attributes:
        names: complete names.
        groups: prefixes of further names, which are not listed.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]

    def has(self, name: str) -> bool:
        """Return whether there may be a counter of this name."""
        return name in self.names or name.startswith(self.groups)
