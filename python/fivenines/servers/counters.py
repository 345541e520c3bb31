"""What reads the counters of a server."""

from collections.abc import Callable, Iterable

from fivenines.servers.session import Session

CounterReader = Callable[[Session], Iterable[tuple[str, float]]]
"""Names, as the server calls them, and values now."""
