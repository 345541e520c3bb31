"""PostgreSQL hot standby: one primary, N standbys that replay its log by streaming replication.

Source: PostgreSQL 18 manual, chapter 26 (High Availability) and `synchronous_commit` in 19.5.
"""

from itertools import pairwise

from fivenines.base.waiting import wait_until
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.postgres import logical, slots
from fivenines.servers.postgres.server import STANDBY_SIGNAL, Postgres, conninfo, synchronous_names
from fivenines.solutions.base import Solution
from fivenines.solutions.hot_standby.configuration import HotStandbyConfiguration
from fivenines.solutions.hot_standby.membership import HotStandbyMembership, HotStandbyRoles
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.hot_standby.streaming import ReplayStalling


class HotStandby(Solution[HotStandbySettings, Postgres]):
    """One primary; every standby follows it and answers reads."""

    settings_type = HotStandbySettings
    roles_type = HotStandbyRoles
    membership_type = HotStandbyMembership
    membership: HotStandbyMembership
    stalling_type = ReplayStalling
    configuration_type = HotStandbyConfiguration

    def manager_facts(self) -> dict[str, object]:
        return {
            "synchronous": self.settings.synchronous,
            "candidates": [node.name for node in self.nodes if not self.is_never_promoted(node)],
            "control": {"wait_for": self.settings.wait_for, "choice": self.settings.choice},
        }

    @property
    def replicas(self) -> list[Postgres]:
        return [node for node in self.nodes[1:] if not self.is_never_promoted(node)]

    def configure(self) -> None:
        super().configure()
        primary = self.nodes[0]
        primary.write_auto_conf({"synchronous_standby_names": self.sync_names(primary)})
        for before, standby in pairwise(self.publishers):
            self.follow(standby, before if self.settings.cascade else primary)

    def start(self) -> None:
        standbys = self.publishers[1:]
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        if self.settings.slots:
            self.each(self.make_slots, self.publishers)
        wait_until(
            lambda: next(filter(None, map(self.membership.not_joined_reason, standbys)), ""),
            30.0,
            f"{self.settings.name}: not all standbys follow the primary",
        )
        if self.settings.subscriber:
            self._join_subscriber()

    @property
    def publishers(self) -> list[Postgres]:
        """Return the nodes that can become the primary of a subscriber; without one, all nodes."""
        return [node for node in self.nodes if not self.is_subscriber(node)]

    def _join_subscriber(self) -> None:
        primary, subscriber = self.nodes[0], self.nodes[-1]
        logical.require(primary)
        logical.join(primary, self.publishers, subscriber)
        self.guard_subscriber(primary)
        wait_until(
            lambda: (
                self.membership.not_joined_reason(subscriber)
                or next(filter(None, map(logical.slot_reason, self.publishers[1:])), "")
            ),
            60.0,
            f"{self.settings.name}: the subscriber does not follow the primary",
        )

    def guard_subscriber(self, primary: Postgres) -> None:
        """Send the subscriber nothing that standbys lack: any promoted standby can continue from there."""
        if self.settings.subscriber:
            others = [slots.named(node.name) for node in self.publishers if node is not primary]
            primary.set_system("synchronized_standby_slots", ", ".join(others))

    def is_delayed(self, node: Postgres) -> bool:
        """Return whether a node is the standby that replays with a delay."""
        return bool(self.settings.delay) and node.name == self.nodes[-1].name

    def is_subscriber(self, node: Postgres) -> bool:
        """Return whether a node is the subscriber, which gets rows by logical replication."""
        return self.settings.subscriber and node.name == self.nodes[-1].name

    def is_never_promoted(self, node: Postgres) -> bool:
        """Return whether a node is neither promoted nor read from, and no commit waits for it."""
        return self.is_delayed(node) or self.is_subscriber(node)

    def sync_names(self, primary: Postgres) -> str:
        """Return synchronous_standby_names of a node, for when it is the primary."""
        able = [node.name for node in self.nodes if node is not primary and not self.is_never_promoted(node)]
        settings = self.settings
        return synchronous_names(able, settings.wait_for, settings.choice) if settings.synchronous else ""

    def make_slots(self, node: Postgres) -> None:
        """Create slots for all other nodes on each node, so that a promoted node already has them."""
        slots.renew(node, [other.name for other in self.publishers if other is not node])

    def events(self) -> list[ManagerEvent]:
        return list(self.membership.events)

    def follow(self, standby: Postgres, upstream: Postgres) -> None:
        """Let a stopped server start as a standby of another one."""
        slot = {"primary_slot_name": slots.named(standby.name)} if self.settings.slots else {}
        standby.write_auto_conf(
            {
                "primary_conninfo": conninfo(upstream.host.address, standby.name),
                # A promoted standby uses it between its promotion and the next command.
                "synchronous_standby_names": self.sync_names(standby),
                **slot,
            }
        )
        standby.host.data.write_configuration(STANDBY_SIGNAL, "")
