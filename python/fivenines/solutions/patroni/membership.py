"""Roles and members of a cluster under Patroni, which promotes and starts the servers by itself."""

import time
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError
from fivenines.failover.managers.patroni.log import last_promoted
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.switchover import Switchover
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.hot_standby.streaming import StreamingMembership

if TYPE_CHECKING:
    from fivenines.solutions.patroni.solution import Patroni


class PatroniRoles(Roles[Postgres]):
    """The logs of Patroni show which node was promoted last."""

    cluster: "Patroni"

    @property
    def primary_of_record(self) -> Postgres:
        promoted = last_promoted(self.cluster.events())
        return self.cluster.node(promoted) if promoted else self.cluster.nodes[0]


class PatroniSwitchover(Switchover[Postgres]):
    """Patroni of the leader makes it, and chooses the successor."""

    cluster: "Patroni"

    def hand_over(self, draining: Drain | None) -> str:
        primary = self.cluster.roles.certain_primary()
        if primary is None:
            raise FiveninesError(
                f"there is no leader to switch over from: {self.cluster.trouble() or 'no primary'}"
            )
        answer = self.cluster.daemons[primary.name].ask("POST", "/switchover", {"leader": primary.name}, 90.0)
        if answer.status != 200:
            raise FiveninesError(f"Patroni refused the switchover: {answer.text.strip()}")
        return f"by Patroni: {answer.text.strip()}"


class PatroniMembership(StreamingMembership):
    """A member has a running Patroni and follows the leader."""

    cluster: "Patroni"

    def rejoin(self, node: Postgres) -> None:
        daemon = self.cluster.daemons[node.name]
        if self.cluster.etcd.start_on(node.host):
            self._await_etcd()
        if not daemon.alive:
            daemon.start()
        self._await_member(node)

    def _await_member(self, node: Postgres) -> None:
        """Wait until it is a member; without a leader, until it answers."""
        deadline = time.monotonic() + 30.0
        while self.not_joined_reason(node):
            self.cluster.daemons[node.name].require()
            if node.answers() and self.cluster.roles.certain_primary() is None:
                return
            if time.monotonic() > deadline:
                if node.answers():
                    return
                raise FiveninesError(f"{node.name} does not start: {self.cluster.last_message(node)}")
            time.sleep(0.2)

    def _await_etcd(self) -> None:
        # Patroni without etcd sleeps for 5 s before it tries again.
        deadline = time.monotonic() + 5.0
        while self.cluster.etcd.trouble() and time.monotonic() < deadline:
            time.sleep(0.1)

    def not_joined_reason(self, node: Postgres) -> str:
        if not node.answers():
            return f"{node.name} does not answer: {self.cluster.last_message(node)}"
        if self.cluster.roles.certain_primary() is None:
            return f"there is no primary: {self.cluster.trouble() or self.cluster.last_message(node)}"
        if not self.cluster.daemons[node.name].alive:
            return f"{node.name} has no running Patroni: it has ended"
        reason = super().not_joined_reason(node)
        return f"{reason}: {self.cluster.last_message(node)}" if reason else ""

    def unexpected_primary_reason(self, node: Postgres) -> str:
        if node.alive and not self.cluster.daemons[node.name].alive:
            return f"the Patroni of {node.name} has ended"
        return ""
