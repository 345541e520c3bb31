"""Two clusters, each a separate solution at its site, joined by asynchronous replication.

Sources: MySQL NDB Cluster 9 reference manual, "NDB Cluster Replication"; MariaDB documentation, "Configuring
MariaDB Replication between Two MariaDB Galera Clusters".
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from fivenines.solutions.cluster_pair.membership import PairMembership, PairRoles, PairStalling
from fivenines.solutions.cluster_pair.settings import ClusterPairSettings
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.galera.solution import Galera
from fivenines.solutions.hosts import Hosts
from fivenines.solutions.ndb.solution import Ndb, NdbPreparation
from fivenines.solutions.preparation import Preparation

_KINDS: dict[str, tuple[type[Solution[Any, Any]], type[Channel[Any]]]] = {
    "ndb": (Ndb, NdbChannel),
    "galera": (Galera, GaleraChannel),
}


class PairPreparation(Preparation[ClusterPairSettings]):
    """Both clusters start from the same data."""

    def data(self, workload: WorkloadSettings, report: Report, begun: bool = False) -> Path:
        settings = self.settings
        kind, _ = _KINDS[settings.a.solution]
        common = _with_common_settings(settings, settings.a)
        if settings.conflicts == "none":
            return kind.preparation(common).data(workload, report, begun)
        writers = settings if settings.conflicts == "max" else settings.a
        servers = range(1, writers.traits.nodes + 1)
        statements = detection(settings.conflicts, settings.conflict_column, servers)
        return NdbPreparation(common).data_after(statements, workload, report)


class PairHosts(Hosts[ClusterPairSettings, MysqlFamily]):
    """Each cluster creates its own, at its site."""

    solution: "ClusterPair"

    def add(self) -> None:
        clusters = self.solution.clusters
        for cluster in clusters:
            cluster.hosts.disk_calls = self.disk_calls
            cluster.hosts.add()
        self.solution.nodes = [node for cluster in clusters for node in cluster.nodes]
        self.solution.parts = [part for cluster in clusters for part in cluster.parts]


class PairConfiguration(Configuration[ClusterPairSettings, MysqlFamily]):
    """That of each cluster, with what joining them adds (`Configuration.joined_with`)."""

    solution: "ClusterPair"

    def own(self, node: MysqlFamily) -> dict[str, Value]:
        return self.solution.cluster_of(node).configuration.own(node)

    def whole(self, node: MysqlFamily) -> dict[str, Value]:
        return self.solution.cluster_of(node).configuration.whole(node)

    def write(self, node: MysqlFamily) -> None:
        self.solution.cluster_of(node).configuration.write(node)

    def parts_in_effect(self) -> list[Finding]:
        clusters = self.solution.clusters
        return [finding for cluster in clusters for finding in cluster.configuration.parts_in_effect()]


class ClusterPair(Solution[ClusterPairSettings, MysqlFamily]):
    """Joins two clusters that do not know each other."""

    settings_type = ClusterPairSettings
    roles_type = PairRoles
    membership_type = PairMembership
    stalling_type = PairStalling
    configuration_type = PairConfiguration
    hosts_type = PairHosts
    preparation = PairPreparation

    roles: PairRoles

    def __init__(self, settings: ClusterPairSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        kind, channel = _KINDS[settings.a.solution]
        self.channel: Channel[Any] = channel()
        self.clusters = [
            kind(_with_common_settings(settings, own), lab, engine, data) for own in (settings.a, settings.b)
        ]
        for turn, cluster in enumerate(self.clusters):
            cluster.passwords = self.passwords
            cluster.hosts.turn = turn
            cluster.configuration.joined_with = self._joined
        self.clusters[1].hosts.before = settings.hosts_before
        # The cluster that takes the writes, if only one does.
        self.active = 0
        self.flows: list[Flow] = []
        self._events: list[ManagerEvent] = []

    def prepare(self) -> None:
        for cluster in self.clusters:
            cluster.prepare()

    def hand_out(self) -> None:
        for cluster in self.clusters:
            cluster.hand_out()

    def _joined(self, node: MysqlFamily) -> dict[str, Value]:
        numbers = Numbers(
            self.clusters.index(self.cluster_of(node)) + 1,
            [member for cluster in self.clusters for member in cluster.nodes].index(node) + 1,
            self.settings.traits.nodes,
        )
        return {
            **self.channel.settings(numbers, self.settings.conflicts != "none"),
            "read_only": self.settings.writes == "a",
        }

    def start_alone(self, node: MysqlFamily) -> None:
        self.cluster_of(node).start_alone(node)

    def start(self) -> None:
        with ThreadPoolExecutor(len(self.clusters)) as pool:
            list(pool.map(lambda cluster: cluster.start(), self.clusters))
        a, b = self._sides()
        password = self.passwords.replication
        self.flows = [
            Flow(source, target, self.channel, password, self.record) for source, target in ((a, b), (b, a))
        ]
        self._allow_writes()
        for flow in self.flows:
            flow.note_ends()
        for flow in self.required_flows():
            flow.begin()
        wait_until(
            lambda: next(
                filter(None, (flow.problem() or flow.behind() for flow in self.required_flows())), ""
            ),
            30.0,
            f"{self.settings.name}: the clusters do not replicate to each other",
        )

    def _sides(self) -> tuple[Side, Side]:
        first, second = self.clusters
        return (
            Side("a", 1, first.nodes, 1, self.roles.able),
            Side("b", 2, second.nodes, 1 + len(first.nodes), self.roles.able),
        )

    def required_flows(self) -> list[Flow]:
        """Return the channels that should run: from the writing cluster, and back if both ways are set."""
        both = self.settings.direction == "both"
        return [flow for flow in self.flows if both or flow.source.number == self.active + 1]

    def _allow_writes(self) -> None:
        if self.settings.writes == "a":
            for node in self.clusters[self.active].nodes:
                node.sql.execute("SET GLOBAL read_only = OFF")

    def cluster_of(self, member: Member) -> Solution[Any, Any]:
        """Return the cluster of a server."""
        first, second = self.clusters
        return first if member in first.members else second

    def leading(self) -> Solution[Any, Any]:
        """Return the cluster that takes the writes; with writes at both, the first working one."""
        if self.settings.writes == "a":
            return self.clusters[self.active]
        working = (cluster for cluster in self.clusters if any(map(self.roles.able, cluster.nodes)))
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
            flow = self.flows[self.clusters.index(self.leading())]
            server = flow.follows if word == "source" else flow.applier
            return [] if server is None else [server]
        named = [part for part in self.parts if part.name == word]
        return named or self.leading().members_called(word)

    def maintenance_order(self) -> list[Member]:
        """Return the order of a rolling restart: the cluster that gets the writes, or a, comes last."""
        last = self.leading()
        clusters = sorted(self.clusters, key=lambda cluster: cluster is last)
        return [member for cluster in clusters for member in cluster.maintenance_order()]

    def events(self) -> list[ManagerEvent]:
        return [*self._events, *(event for cluster in self.clusters for event in cluster.events())]

    def record(self, kind: str, node: str, detail: str) -> None:
        """Record an event of the automatic remediation."""
        self._events.append(ManagerEvent(time.monotonic_ns(), kind, node, detail))


def _with_common_settings(settings: ClusterPairSettings, own: Any) -> Any:
    """Return a cluster's settings with the pair's common settings."""
    more = {"limits": settings.limits, "name": settings.name, "server": settings.server}
    return own.model_copy(update=more)
