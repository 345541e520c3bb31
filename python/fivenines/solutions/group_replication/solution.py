"""MySQL Group Replication: a group that agrees by Paxos on every transaction; failover is built in.

Source: MySQL 9 reference manual, chapter "Group Replication".
"""

from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.lab.lab import Lab
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.mysql.group import bootstrap, join
from fivenines.servers.mysql.server import Mysql
from fivenines.software.base import Engine
from fivenines.solutions.draining import Draining
from fivenines.solutions.group_replication.configuration import GROUP_NAME, GroupConfiguration
from fivenines.solutions.group_replication.events import GroupLog
from fivenines.solutions.group_replication.membership import LONGEST_JOIN, GroupMembership, refused
from fivenines.solutions.group_replication.roles import GroupRoles
from fivenines.solutions.group_replication.settings import GroupReplicationSettings
from fivenines.solutions.quorum import Quorum


class GroupSwitchover(Draining[Mysql]):
    """A group with one primary elects another one; with several, a member is drained."""

    cluster: "GroupReplication"

    def hand_over(self, draining: Drain | None) -> str:
        if self.cluster.settings.mode != "single-primary":
            return super().hand_over(draining)
        former = self.cluster.roles.target("primary")
        successor = self.cluster.roles.target("replica")
        former.sql.execute(f"SELECT group_replication_set_as_primary('{successor.uuid}')")
        return f"group_replication_set_as_primary: {former.name} to {successor.name}"


class GroupReplication(Quorum[GroupReplicationSettings, Mysql]):
    """The group elects a primary; with several primaries the first working member gets the writes."""

    settings_type = GroupReplicationSettings
    roles_type = GroupRoles
    membership_type = GroupMembership
    switchover_type = GroupSwitchover
    configuration_type = GroupConfiguration

    roles: GroupRoles
    membership: GroupMembership
    switchover: GroupSwitchover

    def __init__(self, settings: GroupReplicationSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self._log = GroupLog()

    @property
    def group_name(self) -> str:
        """Return the UUID of the group, which MySQL Router queries."""
        return GROUP_NAME

    @property
    def join_statement(self) -> str:
        """Return the statement with which a server joins the group."""
        return join(self.passwords.replication)

    @property
    def bootstrap_statements(self) -> list[str]:
        """Return the statements with which a server begins the group."""
        return bootstrap(self.passwords.replication)

    def start(self) -> None:
        self.each(lambda node: node.start())
        self.each(self._become_member)
        wait_until(
            lambda: next(filter(None, map(self._incomplete, self.nodes)), ""),
            60.0,
            f"{self.settings.name}: not all members are ONLINE",
        )
        self._log.begin(self.nodes)

    def statements(self, node: Mysql) -> list[str]:
        return self.bootstrap_statements if node is self.nodes[0] else [self.join_statement]

    def _become_member(self, node: Mysql) -> None:
        """Start the group with the first node; the others join it in parallel, as soon as it works."""
        node.wait_ready()
        seed = self.nodes[0]
        if node is not seed:
            # The seed's own statement returns a second later than that.
            wait_until(
                lambda: "" if self.roles.works(seed, self.roles.groups()) else "it has not begun",
                60.0,
                f"{node.name} waits for {seed.name} to form the group",
            )
        try:
            node.sql.execute(*self.statements(node), timeout=LONGEST_JOIN)
        except FiveninesError as error:
            raise FiveninesError(refused(node, str(error))) from error

    def events(self) -> list[ManagerEvent]:
        return [*self._log.events(self.nodes), *self.membership.events]

    def _incomplete(self, node: Mysql) -> str:
        group = self.roles.group(node)
        if group is not None and list(group.members.values()) == ["ONLINE"] * self.settings.size:
            return ""
        return (
            self.membership.not_joined_reason(node)
            or f"{node.name} sees {group.members if group else 'no members'}"
        )
