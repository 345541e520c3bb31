"""Planned changes that a cluster makes with its own commands: switch over, stall a replica."""

from abc import ABC, abstractmethod

from fivenines.servers.cluster.aspect import Aspect, N
from fivenines.servers.cluster.capabilities import Drain


class Switchover(Aspect[N], ABC):
    """Planned change of the primary, in a cluster where no failover manager makes it."""

    @abstractmethod
    def hand_over(self, draining: Drain | None) -> str:
        """Move the writes to another node; return in words how.

        Args:
            draining: the access layer, if it can take nodes out of service.

        Raises:
            FiveninesError: the writes were not moved; with the reason.
        """

    def undrain(self, draining: Drain | None, node: N) -> None:
        """Let a node that handed over its writes get writes again."""
        return


class ChosenSwitchover(Switchover[N]):
    """A switchover whose new primary can be named."""

    @abstractmethod
    def hand_over_to(self, name: str) -> str:
        """Move the writes to the node of this name; return in words how.

        Raises:
            FiveninesError: there is no such node, or the writes were not moved.
        """


class Stalling(Aspect[N], ABC):
    """Stops replicas from applying changes, which they continue to receive."""

    @abstractmethod
    def stall(self, node: N) -> str:
        """Stop a replica from applying changes, and return in words how. `unstall` ends it.

        Raises:
            FiveninesError: it could not be stalled.
        """

    @abstractmethod
    def unstall(self, node: N) -> str:
        """Let a stalled replica apply changes again; return why it does not, or an empty string."""
