"""Roles in a Galera cluster: all nodes are equal, and the first healthy one is called the primary."""

from typing import TYPE_CHECKING, Literal

from fivenines.servers.cluster.roles import Roles
from fivenines.servers.mariadb.server import Mariadb

if TYPE_CHECKING:
    from fivenines.solutions.galera.solution import Galera


class GaleraRoles(Roles[Mariadb]):
    """The first healthy node that is not drained gets the writes."""

    cluster: "Galera"

    def observed(self, node: Mariadb) -> Literal["primary", "replica", "down"]:
        if not self.synced(node):
            return "down"
        able = [other for other in self.cluster.nodes if self.synced(other)]
        return "primary" if self.cluster.switchover.writer(able) is node else "replica"

    def synced(self, node: Mariadb) -> bool:
        """Return whether a node is Synced in a group with a majority."""
        state = node.galera() if node.alive else None
        return state is not None and state[1:] == ("Primary", "Synced")
