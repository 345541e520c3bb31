"""Protocols for what only some parts of a cluster can do; callers check for them with isinstance."""

from typing import Protocol

from fivenines.lab.processes.process import Process


class Drain(Protocol):
    """An access layer that can take a node out of service for maintenance."""

    def drain(self, name: str) -> str:
        """Stop sending writes and reads to a node, and close its connections at the access layer.

        Returns:
            the node's new state, in words that follow its name.
        """

    def undrain(self, name: str) -> None:
        """Let clients reach a drained node again."""


class Entry(Protocol):
    """The single write entry of an access layer, which a failover manager moves to a new primary."""

    @property
    def control(self) -> str:
        """Return the address (host:port) at which the access layer accepts commands over the network."""

    def commands(self, address: str) -> list[str]:
        """Return the commands that lead writes to `address`; each needs its own connection."""

    def moved(self, name: str) -> None:
        """Record that the entry now leads to this node, so that a restart keeps it."""


class Voter(Protocol):
    """A cluster member that votes and stores no data."""

    @property
    def name(self) -> str:
        """Return the name of its host."""

    @property
    def process(self) -> Process | None:
        """Return its process, or None before the first start."""

    @property
    def alive(self) -> bool:
        """Return whether its process runs."""

    def restart(self) -> None:
        """Start its process again; end it first if it still runs."""

    def last_words(self) -> str:
        """Return the last lines of its output."""
