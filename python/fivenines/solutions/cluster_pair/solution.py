"""Two clusters, each a separate solution at its site, joined by asynchronous replication.

Sources: MySQL NDB Cluster 9 reference manual, "NDB Cluster Replication"; MariaDB documentation, "Configuring
MariaDB Replication between Two MariaDB Galera Clusters".
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from fivenines.base.waiting import wait_until
from fivenines.lab.lab import Lab
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.base import Value
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.in_effect import Finding
from fivenines.servers.mariadb.channel import GaleraChannel
from fivenines.servers.member import Member
from fivenines.servers.mysql_family.channel import Channel, Numbers
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.ndb.channel import NdbChannel
from fivenines.servers.ndb.conflicts import detection
from fivenines.software.base import Engine, Report
from fivenines.solutions.base import Solution
from fivenines.solutions.cluster_pair.channels import Flow, Side
from fivenines.solutions.cluster_pair.settings import ClusterPairSettings
from fivenines.solutions.galera.solution import Galera
from fivenines.solutions.ndb.solution import Ndb

_KINDS: dict[str, tuple[type[Solution[Any, Any]], type[Channel[Any]]]] = {
    "ndb": (Ndb, NdbChannel),
    "galera": (Galera, GaleraChannel),
}

# Seconds within which a cluster must apply what it has received, before its promotion.
_CATCHES_UP = 10.0


class ClusterPair(Solution[ClusterPairSettings, MysqlFamily]):
    """Joins two clusters that do not know each other."""

    settings_type = ClusterPairSettings

    def __init__(self, settings: ClusterPairSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        kind, channel = _KINDS[settings.a.solution]
        self.channel: Channel[Any] = channel()
        self.clusters = [
            kind(_with_common_settings(settings, own), lab, engine, data) for own in (settings.a, settings.b)
        ]
        for turn, cluster in enumerate(self.clusters):
            cluster.passwords = self.passwords
            cluster.turn = turn
            cluster.joined_with = self._joined
        self.clusters[1].hosts_before = settings.hosts_before
        # The cluster that takes the writes, if only one does.
        self.active = 0
        self.flows: list[Flow] = []
        self._events: list[ManagerEvent] = []
        self._lost_since: float | None = None

    # deployment

    @classmethod
    def data_for(
        cls, settings: ClusterPairSettings, workload: WorkloadSettings, report: Report, begun: bool = False
    ) -> Path:
        kind, _ = _KINDS[settings.a.solution]
        if settings.conflicts == "none":
            return kind.data_for(_with_common_settings(settings, settings.a), workload, report, begun)
        servers = range(1, settings.nodes + 1 if settings.conflicts == "max" else settings.a.nodes + 1)
        statements = detection(settings.conflicts, settings.conflict_column, servers)
        return Ndb.data_after(statements, _with_common_settings(settings, settings.a), workload, report)

    def add_hosts(self) -> None:
        for cluster in self.clusters:
            cluster.disk_calls = self.disk_calls
            cluster.add_hosts()
        self.nodes = [node for cluster in self.clusters for node in cluster.nodes]
        self.parts = [part for cluster in self.clusters for part in cluster.parts]

    def prepare(self) -> None:
        for cluster in self.clusters:
            cluster.prepare()

    def hand_out(self) -> None:
        for cluster in self.clusters:
            cluster.hand_out()

    def configure(self, node: MysqlFamily) -> None:
        self.cluster_of(node).configure(node)

    def whole_configuration(self, node: MysqlFamily) -> dict[str, Value]:
        return self.cluster_of(node).whole_configuration(node)

    def configuration(self, node: MysqlFamily) -> dict[str, Value]:
        return self.cluster_of(node).configuration(node)

    def _joined(self, node: MysqlFamily) -> dict[str, Value]:
        numbers = Numbers(
            self.clusters.index(self.cluster_of(node)) + 1,
            [member for cluster in self.clusters for member in cluster.nodes].index(node) + 1,
            self.settings.nodes,
        )
        return {
            **self.channel.settings(numbers, self.settings.conflicts != "none"),
            "read_only": self.settings.writes == "a",
        }

    def parts_in_effect(self) -> list[Finding]:
        return [finding for cluster in self.clusters for finding in cluster.parts_in_effect()]

    def start_alone(self, node: MysqlFamily) -> None:
        self.cluster_of(node).start_alone(node)

    def start(self) -> None:
        with ThreadPoolExecutor(len(self.clusters)) as pool:
            list(pool.map(lambda cluster: cluster.start(), self.clusters))
        a, b = self._sides()
        password = self.passwords.replication
        self.flows = [
            Flow(source, target, self.channel, password, self._record) for source, target in ((a, b), (b, a))
        ]
        self._allow_writes()
        for flow in self.flows:
            flow.note_ends()
        for flow in self._required_flows():
            flow.begin()
        wait_until(
            lambda: next(
                filter(None, (flow.problem() or flow.behind() for flow in self._required_flows())), ""
            ),
            30.0,
            f"{self.settings.name}: the clusters do not replicate to each other",
        )

    def _sides(self) -> tuple[Side, Side]:
        first, second = self.clusters
        return (
            Side("a", 1, first.nodes, 1, self._able),
            Side("b", 2, second.nodes, 1 + len(first.nodes), self._able),
        )

    def _required_flows(self) -> list[Flow]:
        """Return the channels that should run: from the writing cluster, and back if both ways are set."""
        both = self.settings.direction == "both"
        return [flow for flow in self.flows if both or flow.source.number == self.active + 1]

    def _allow_writes(self) -> None:
        if self.settings.writes == "a":
            for node in self.clusters[self.active].nodes:
                node.sql.execute("SET GLOBAL read_only = OFF")

    # roles

    def cluster_of(self, member: Member) -> Solution[Any, Any]:
        """Return the cluster of a server."""
        first, second = self.clusters
        return first if member in first.members else second

    def _able(self, node: MysqlFamily) -> bool:
        return self.cluster_of(node).observed_role(node) != "down"

    def observed_role(self, node: MysqlFamily) -> Literal["primary", "replica", "down"]:
        cluster = self.cluster_of(node)
        role = cluster.observed_role(node)
        # Only clients of the other site may write there; the primary is the node that all other clients use.
        return "replica" if role == "primary" and cluster is not self._leading() else role

    def _leading(self) -> Solution[Any, Any]:
        """Return the cluster that takes the writes; with writes at both, the first working one."""
        if self.settings.writes == "a":
            return self.clusters[self.active]
        working = (cluster for cluster in self.clusters if any(map(self._able, cluster.nodes)))
        return next(working, self.clusters[0])

    def endpoints(self) -> Endpoints:
        first = self.clusters[0].endpoints()
        both = [endpoints.endpoints() for endpoints in self.clusters]
        return replace(
            first, write=[each for endpoints in both for each in endpoints.write], read=(), find="writable"
        )

    def members_called(self, word: str) -> Sequence[Member]:
        if word in ("a", "b"):
            return self.clusters["ab".index(word)].members
        if word in ("source", "applier"):
            flow = self.flows[self.clusters.index(self._leading())]
            server = flow.follows if word == "source" else flow.applier
            return [] if server is None else [server]
        named = [part for part in self.parts if part.name == word]
        return named or self._leading().members_called(word)

    def not_joined_reason(self, node: Member) -> str:
        if reason := self.cluster_of(node).not_joined_reason(node):
            return reason
        for flow in self._required_flows():
            if node is flow.applier and (reason := flow.problem()):
                return f"{flow.name}: {reason}"
        return ""

    def lag_reason(self, node: MysqlFamily) -> str:
        if reason := self.cluster_of(node).lag_reason(node):
            return reason
        cluster = self.clusters.index(self.cluster_of(node)) + 1
        arriving = (flow for flow in self._required_flows() if flow.target.number == cluster)
        return next(filter(None, (flow.behind() for flow in arriving)), "")

    def written(self) -> Callable[[MysqlFamily], str]:
        # Network delay separates the sites, so the order of restarts does not matter.
        lacks = [cluster.written() for cluster in self.clusters]
        return lambda node: lacks[self.clusters.index(self.cluster_of(node))](node)

    def maintenance_order(self) -> list[Member]:
        """Return the order of a rolling restart: the cluster that gets the writes, or a, comes last."""
        last = self._leading()
        clusters = sorted(self.clusters, key=lambda cluster: cluster is last)
        return [member for cluster in clusters for member in cluster.maintenance_order()]

    # after a fault

    def unexpected_primary_reason(self, node: MysqlFamily) -> str:
        return self.cluster_of(node).unexpected_primary_reason(node)

    def restart_order(self, nodes: Sequence[Member]) -> list[Member]:  # type: ignore[override]
        return [
            member
            for cluster in self.clusters
            for member in cluster.restart_order([each for each in nodes if each in cluster.members])
        ]

    def rejoin(self, node: Member) -> None:
        cluster = self.cluster_of(node)
        cluster.rejoin(node)
        if isinstance(node, MysqlFamily):
            for flow in self.flows:
                if node in flow.source.nodes:
                    flow.source.been_down.add(node.name)
            if self.settings.writes == "a" and cluster is self.clusters[self.active]:
                node.sql.execute("SET GLOBAL read_only = OFF")

    def stall(self, node: MysqlFamily) -> str:
        return self.cluster_of(node).stall(node)

    def unstall(self, node: MysqlFamily) -> str:
        return self.cluster_of(node).unstall(node)

    def remediate(self) -> list[str]:
        """Run the automatic remediation of each cluster, of a lost site, and of the channels."""
        done = [text for cluster in self.clusters for text in cluster.remediate()]
        if self.settings.writes == "a" and self.settings.site_failover_after is not None:
            self._watch_the_site(self.settings.site_failover_after)
        for flow in self._required_flows():
            flow.look_after(self.settings.channel_failover_after)
        return done

    def _watch_the_site(self, patience: float) -> None:
        ours, theirs = self.clusters[self.active], self.clusters[1 - self.active]
        if any(map(self._able, ours.nodes)) or not any(map(self._able, theirs.nodes)):
            self._lost_since = None
            return
        now = time.monotonic()
        self._lost_since = self._lost_since or now
        if now - self._lost_since >= patience:
            self._lost_since = None
            self._promote_the_other()

    def _promote_the_other(self) -> None:
        """Move the writes to the other cluster: clients find its servers as soon as these are writable."""
        flow = self.flows[self.active]
        self.active = 1 - self.active
        name = "ab"[self.active]
        able = [node for node in self.clusters[self.active].nodes if self._able(node)]
        self._record(
            "decided", able[0].name, f"cluster {name} is promoted: no server of the other cluster works"
        )
        if left := flow.drain(_CATCHES_UP):
            self._record("failed", able[0].name, f"received changes were not applied: {left}")
        flow.end()
        for node in able:
            node.sql.execute("SET GLOBAL read_only = OFF")
        self.appoint(able[0].name)
        self._record("promoted", able[0].name, f"cluster {name} takes the writes")

    def events(self) -> list[ManagerEvent]:
        return [*self._events, *(event for cluster in self.clusters for event in cluster.events())]

    def _record(self, kind: str, node: str, detail: str) -> None:
        self._events.append(ManagerEvent(time.monotonic_ns(), kind, node, detail))


def _with_common_settings(settings: ClusterPairSettings, own: Any) -> Any:
    """Return a cluster's settings with the pair's common settings."""
    more = {"limits": settings.limits, "name": settings.name, "server": settings.server}
    return own.model_copy(update=more)
