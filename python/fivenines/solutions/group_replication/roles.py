"""Roles of a replication group's members, from the views that the members have of each other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.silence import Observed
from fivenines.servers.mysql.group import Group
from fivenines.servers.mysql.server import Mysql

if TYPE_CHECKING:
    from fivenines.solutions.group_replication.solution import GroupReplication


class GroupRoles(Roles[Mysql]):
    """The group elects a primary; with several primaries the first working member gets the writes."""

    cluster: "GroupReplication"

    def observed(self, node: Mysql) -> Observed:
        return self.all_observed()[node.name]

    def all_observed(self) -> dict[str, Observed]:
        groups = self.groups()
        able = {node.name: self._able(node, groups) for node in self.cluster.nodes}
        found = self.cluster.switchover.roles(able)
        if self.cluster.settings.mode == "single-primary":
            for name, now in able.items():
                if now:
                    found[name] = "primary" if groups[name].role == "PRIMARY" else "replica"
        return found

    def _able(self, node: Mysql, groups: Mapping[str, Group]) -> bool | None:
        """Return whether a member works; None if it runs and does not answer."""
        if node.name not in groups:
            return None if node.alive and not node.frozen else False
        return self.works(node, groups)

    def group(self, node: Mysql) -> Group | None:
        """Return the group as a member sees it; None if it does not answer."""
        return node.group() if node.alive and not node.frozen else None

    def groups(self) -> dict[str, Group]:
        """Return the group as each member that answers sees it, by name."""
        groups = {node.name: self.group(node) for node in self.cluster.nodes}
        return {name: group for name, group in groups.items() if group is not None}

    def works(self, node: Mysql, groups: Mapping[str, Group]) -> bool:
        """Return whether a member takes part in the group, in its own view and in the others'.

        A member that was cut off and is reachable again notices only seconds later that it has been expelled.
        """
        group = groups.get(node.name)
        return (group is not None and group.working) and all(
            node.host.address in other.members for other in groups.values() if other.working
        )
