"""The processes of an NDB cluster, and its configuration file config.ini.

Source: MySQL NDB Cluster 9 reference manual, "NDB Cluster Configuration Files".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fivenines.servers.base import Value, inside
from fivenines.servers.spelled import as_option

# Data nodes have the ids 1 to 144 (manual, "NodeId").
FIRST_MANAGEMENT = 145

FIRST_SQL = 151


@dataclass(frozen=True)
class Place:
    """A process of the cluster: its id, its host, and the node group of a data node."""

    number: int
    address: str
    group: int = 0


@dataclass(frozen=True)
class Layout:
    """All processes of one cluster, and the settings of its data nodes.

    Attributes:
        settings: of data nodes, by their names in config.ini.
        ranks: ArbitrationRank of management nodes and of SQL nodes.
    """

    data: Sequence[Place]
    management: Sequence[Place]
    sql: Sequence[Place]
    settings: Mapping[str, Value]
    ranks: tuple[int, int] = (1, 0)

    def text(self) -> str:
        """Return the text of config.ini."""
        managing, asking = self.ranks
        parts = [
            _section("ndbd default", {"DataDir": inside("data"), **self.settings}),
            *(
                _section("ndb_mgmd", {**_at(place), "DataDir": inside("data"), "ArbitrationRank": managing})
                for place in self.management
            ),
            *(_section("ndbd", {**_at(place), "NodeGroup": place.group}) for place in self.data),
            *(_section("mysqld", {**_at(place), "ArbitrationRank": asking}) for place in self.sql),
            # For the cluster's own tools, from any host.
            _section("api", {}),
        ]
        return "\n".join(parts)

    @property
    def connection(self) -> str:
        """Return the connection string of SQL nodes and data nodes (ndb-connectstring)."""
        return ",".join(place.address for place in self.management)


def _at(place: Place) -> dict[str, Value]:
    return {"NodeId": place.number, "HostName": place.address}


def _section(name: str, values: Mapping[str, Value]) -> str:
    lines = [f"{key}={as_option(key, value)}" for key, value in values.items()]
    return "\n".join([f"[{name}]", *lines, ""])


def node_groups(sites: Sequence[str], replicas: int, spread: bool) -> list[int]:
    """Return the node group of each data node, with `replicas` members each.

    Args:
        sites: of the data nodes, in their order.
        replicas: data nodes in a group.
        spread: whether a group takes its members from as many sites as possible; else from as few.
    """
    order = sorted(range(len(sites)), key=lambda index: sites[index])
    if spread:
        # One of each site in turn.
        rank = {index: [i for i in order if sites[i] == sites[index]].index(index) for index in order}
        order.sort(key=lambda index: (rank[index], sites[index]))
    groups = [0] * len(sites)
    for position, index in enumerate(order):
        groups[index] = position // replicas
    return groups
