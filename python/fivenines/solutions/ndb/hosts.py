"""Hosts of an NDB Cluster: management nodes, data nodes in their groups, and SQL nodes."""

from typing import TYPE_CHECKING

from fivenines.lab.disks.disk import Disk
from fivenines.servers.ndb.data_node import DataNode
from fivenines.servers.ndb.layout import FIRST_MANAGEMENT, FIRST_SQL, Place, node_groups
from fivenines.servers.ndb.management_node import ManagementNode
from fivenines.servers.ndb.sql_node import SqlNode
from fivenines.solutions.hosts import Hosts
from fivenines.solutions.ndb.settings import NdbSettings

if TYPE_CHECKING:
    from fivenines.solutions.ndb.solution import Ndb


class NdbHosts(Hosts[NdbSettings, SqlNode]):
    """Management nodes and data nodes are created first, as SQL nodes have to know them."""

    solution: "Ndb"

    def add(self) -> None:
        settings, limits = self.settings, self.settings.limits
        managing = self.names("management", settings.management_nodes)
        for index, name in enumerate(managing):
            host = self.solution.lab.add_host(
                name, self.root(), memory=limits.memory, cpus=limits.cpus, turn=self._turn(index)
            )
            place = Place(FIRST_MANAGEMENT + index, host.address)
            self.solution.management.append(ManagementNode(host, self.solution.engine, place))
        hosts = [
            self.solution.lab.add_host(
                name, self.root(), memory=limits.memory, cpus=limits.cpus, turn=self._turn(index)
            )
            for index, name in enumerate(self.names("data", settings.data_nodes))
        ]
        sites = [self.solution.lab.sites.of(host.name) for host in hosts]
        groups = node_groups(sites, settings.replicas, settings.placement == "spread")
        for host, group in zip(hosts, groups, strict=True):
            # Adjacent numbers form a group anywhere, so that one data set fits all placements.
            taken = sum(part.place.group == group for part in self.solution.data)
            place = Place(group * settings.replicas + taken + 1, host.address, group)
            self.solution.data.append(DataNode(host, self.solution.engine, place))
        super().add()
        self.solution.parts = [*self.solution.data, *self.solution.management]
        if self.disk_calls:
            for part in self.solution.parts:
                part.disk = Disk(part.host, self.disk_calls)
        names = {part.place.number: part.name for part in self.solution.data}
        names |= {part.place.number: part.name for part in self.solution.management}
        for manager in self.solution.management:
            manager.names = names
        layout = self.solution.layout
        for manager in self.solution.management:
            manager.configure(layout)
        for data_node in self.solution.data:
            data_node.configure(layout)
        for index, node in enumerate(self.solution.nodes):
            node.join(layout, FIRST_SQL + index)
            node.monitoring.data_nodes = {part.place.number: part.name for part in self.solution.data}

    def _turn(self, index: int) -> int:
        return index if self.turn is None else self.turn
