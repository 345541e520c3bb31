"""Roles in a Galera cluster: all nodes are equal, and the first healthy one is called the primary."""

from fivenines.servers.mariadb.server import Mariadb
from fivenines.solutions.draining import DrainingRoles


class GaleraRoles(DrainingRoles[Mariadb]):
    """The first healthy node that is not drained gets the writes."""

    def able(self, node: Mariadb) -> bool | None:
        """Return whether a node is Synced in a group with a majority; None if it does not answer."""
        if not node.alive or node.frozen:
            return False
        state = node.galera()
        return None if state is None else state[1:] == ("Primary", "Synced")
