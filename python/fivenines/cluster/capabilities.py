"""What only some parts of a cluster can do: small protocols, asked for where they are needed."""

from typing import Protocol

from fivenines.lab.process import Process


class Drain(Protocol):
    """An access layer that can take a node out of service, as for maintenance."""

    def drain(self, name: str) -> str:
        """Give a node no more writes and reads, and end the connections there.

        Returns:
            What the node is now, in words that follow its name.
        """

    def undrain(self, name: str) -> None:
        """Let a drained node be chosen again."""


class Entry(Protocol):
    """The one server that an access layer leads writes to, until a failover manager moves that."""

    @property
    def control(self) -> str:
        """Where the access layer takes commands over the network: host:port."""

    def commands(self, address: str) -> list[str]:
        """What to send there, each on a connection of its own, so that writes reach this address."""

    def moved(self, name: str) -> None:
        """Note that it leads to this node now: so it does when it is started again, too."""


class Voter(Protocol):
    """A member of a cluster that votes, and keeps no data."""

    @property
    def name(self) -> str:
        """The name of its host."""

    @property
    def process(self) -> Process | None:
        """Its process; None before it was started."""

    @property
    def alive(self) -> bool:
        """Whether its process runs."""

    def restart(self) -> None:
        """Start it anew, ended before where it still runs."""

    def last_words(self) -> str:
        """The last lines that it wrote."""
