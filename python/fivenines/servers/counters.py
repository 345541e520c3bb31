"""Readers of server counters, and catalogues of counters."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fivenines.servers.session import RefusedError, Session

# Yields names, as the server calls them, and current values.
CounterReader = Callable[[Session], Iterable[tuple[str, float]]]

# Yields the same for members that are queried through a server, with the member's name first.
SideReader = Callable[[Session], Iterable[tuple[str, str, float]]]

# Figures that a server does not show, and why.
Omitted = dict[str, str]


def rows_unless_refused(
    session: Session, statement: str, what: str, omitted: Omitted
) -> list[tuple[Any, ...]]:
    """Return the rows of some figures; once the server has refused them, none, with its reason.

    One figure that an account may not see must not hide all others.

    Args:
        session: with the server.
        statement: reads the figures.
        what: the figures, in words.
        omitted: gets the reason.
    """
    if what in omitted:
        return []
    try:
        return session.ask(statement).rows
    except RefusedError as refusal:
        omitted[what] = str(refusal)
        return []


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
