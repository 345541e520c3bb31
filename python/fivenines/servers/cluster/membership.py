"""Membership of a cluster's servers: whether they are working members, and how they become members again."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from fivenines.base.errors import FiveninesError
from fivenines.servers.cluster.aspect import Aspect, N
from fivenines.servers.member import Member


class Membership(Aspect[N], ABC):
    """What observers and checks ask of a member, and what repairs one."""

    @abstractmethod
    def rejoin(self, node: N) -> None:
        """Start a dead node's server again as a member under the current primary.

        Raises:
            FiveninesError: it could not be started or attached; with the reason.
        """

    @abstractmethod
    def not_joined_reason(self, node: N) -> str:
        """Return why a node is not a working member now; empty if it is one."""

    @abstractmethod
    def lag_reason(self, node: N) -> str:
        """Return what a replica still has to apply; empty if it has applied all that the primary has."""

    def written(self) -> Callable[[N], str]:
        """Take the primary's write position; return a check of what a node has not applied up to it.

        Under load a replica may never have all that the primary has at the same moment (`lag_reason`).
        """
        return self.lag_reason

    def unexpected_primary_reason(self, node: N) -> str:
        """Return why a live node does not become a member again by itself; empty if it may."""
        return ""

    def restart_order(self, servers: Sequence[Member]) -> list[Member]:
        """Return the order in which dead servers are started again: the primary of record first."""
        return sorted(servers, key=lambda server: server is not self.cluster.roles.primary_of_record)

    def restore_data(self, node: N) -> None:
        """Replace the data of a stopped node by the data set, as from a backup; its own history is discarded.

        Raises:
            FiveninesError: the solution does not support it.
        """
        raise FiveninesError(
            f"{self.cluster.name}: {node.name} cannot be restored: this solution restores no nodes"
        )

    def remediate(self) -> list[str]:
        """Run the automatic remediation, twice a second while a fault lasts; return its actions in words."""
        return []
