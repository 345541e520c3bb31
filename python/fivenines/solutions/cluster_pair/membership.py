"""Roles and members of two clusters: those of each cluster, and the channels between the clusters."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.silence import Observed
from fivenines.servers.cluster.switchover import Stalling
from fivenines.servers.member import Member
from fivenines.servers.mysql_family.server import MysqlFamily

if TYPE_CHECKING:
    from fivenines.solutions.cluster_pair.solution import ClusterPair

# Seconds within which a cluster must apply what it has received, before its promotion.
_CATCHES_UP = 10.0


class PairRoles(Roles[MysqlFamily]):
    """The primary is that of the cluster that takes the writes."""

    cluster: "ClusterPair"

    def observed(self, node: MysqlFamily) -> Observed:
        cluster = self.cluster.cluster_of(node)
        role = cluster.roles.observed(node)
        # Only clients of the other site may write there; the primary is the node that all other clients use.
        return "replica" if role == "primary" and cluster is not self.cluster.leading() else role

    def able(self, node: MysqlFamily) -> bool:
        """Return whether a server is a working member of its cluster."""
        return self.cluster.cluster_of(node).roles.observed(node) in ("primary", "replica")


class PairStalling(Stalling[MysqlFamily]):
    """Each cluster stalls its own replicas."""

    cluster: "ClusterPair"

    def stall(self, node: MysqlFamily) -> str:
        return self._of(node).stall(node)

    def unstall(self, node: MysqlFamily) -> str:
        return self._of(node).unstall(node)

    def _of(self, node: MysqlFamily) -> Stalling[MysqlFamily]:
        cluster = self.cluster.cluster_of(node)
        if cluster.stalling is None:
            raise FiveninesError(f"{self.cluster.name}: it has no replica that could stall")
        return cluster.stalling


class PairMembership(Membership[MysqlFamily]):
    """Members of each cluster; a server that applies a channel also needs that channel."""

    cluster: "ClusterPair"

    def __init__(self, cluster: Cluster[MysqlFamily]) -> None:
        super().__init__(cluster)
        self._lost_since: float | None = None

    def not_joined_reason(self, node: Member) -> str:
        if reason := self.cluster.cluster_of(node).membership.not_joined_reason(node):
            return reason
        for flow in self.cluster.required_flows():
            if node is flow.applier and (reason := flow.problem()):
                return f"{flow.name}: {reason}"
        return ""

    def lag_reason(self, node: MysqlFamily) -> str:
        if reason := self.cluster.cluster_of(node).membership.lag_reason(node):
            return reason
        cluster = self.cluster.clusters.index(self.cluster.cluster_of(node)) + 1
        arriving = (flow for flow in self.cluster.required_flows() if flow.target.number == cluster)
        return next(filter(None, (flow.behind() for flow in arriving)), "")

    def written(self) -> Callable[[MysqlFamily], str]:
        # Network delay separates the sites, so the order of restarts does not matter.
        lacks = [cluster.membership.written() for cluster in self.cluster.clusters]
        return lambda node: lacks[self.cluster.clusters.index(self.cluster.cluster_of(node))](node)

    def unexpected_primary_reason(self, node: MysqlFamily) -> str:
        return self.cluster.cluster_of(node).membership.unexpected_primary_reason(node)

    def restart_order(self, servers: Sequence[Member]) -> list[Member]:
        return [
            member
            for cluster in self.cluster.clusters
            for member in cluster.membership.restart_order(
                [each for each in servers if each in cluster.members]
            )
        ]

    def rejoin(self, node: Member) -> None:
        cluster = self.cluster.cluster_of(node)
        cluster.membership.rejoin(node)
        if isinstance(node, MysqlFamily):
            for flow in self.cluster.flows:
                if node in flow.source.nodes:
                    flow.source.been_down.add(node.name)
            if self.cluster.settings.writes == "a" and cluster is self.cluster.clusters[self.cluster.active]:
                node.sql.execute("SET GLOBAL read_only = OFF")

    def remediate(self) -> list[str]:
        """Run the automatic remediation of each cluster, of a lost site, and of the channels."""
        done = [text for cluster in self.cluster.clusters for text in cluster.membership.remediate()]
        if self.cluster.settings.writes == "a" and self.cluster.settings.site_failover_after is not None:
            self._watch_the_site(self.cluster.settings.site_failover_after)
        for flow in self.cluster.required_flows():
            flow.look_after(self.cluster.settings.channel_failover_after)
        return done

    def _watch_the_site(self, patience: float) -> None:
        ours, theirs = (
            self.cluster.clusters[self.cluster.active],
            self.cluster.clusters[1 - self.cluster.active],
        )
        if any(map(self.cluster.roles.able, ours.nodes)) or not any(
            map(self.cluster.roles.able, theirs.nodes)
        ):
            self._lost_since = None
            return
        now = time.monotonic()
        self._lost_since = self._lost_since or now
        if now - self._lost_since >= patience:
            self._lost_since = None
            self._promote_the_other()

    def _promote_the_other(self) -> None:
        """Move the writes to the other cluster: clients find its servers as soon as these are writable."""
        flow = self.cluster.flows[self.cluster.active]
        self.cluster.active = 1 - self.cluster.active
        name = "ab"[self.cluster.active]
        able = [
            node for node in self.cluster.clusters[self.cluster.active].nodes if self.cluster.roles.able(node)
        ]
        self.cluster.record(
            "decided", able[0].name, f"cluster {name} is promoted: no server of the other cluster works"
        )
        if left := flow.drain(_CATCHES_UP):
            self.cluster.record("failed", able[0].name, f"received changes were not applied: {left}")
        flow.end()
        for node in able:
            node.sql.execute("SET GLOBAL read_only = OFF")
        self.cluster.roles.appoint(able[0].name)
        self.cluster.record("promoted", able[0].name, f"cluster {name} takes the writes")
