"""Who is in an NDB cluster, and the file that tells it: config.ini.

Source: MySQL NDB Cluster 9 reference manual, "NDB Cluster Configuration Files".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fivenines.servers.base import Value, inside

FIRST_MANAGEMENT = 145
"""Data nodes have the ids 1 to 144 (manual, "NodeId")."""

FIRST_SQL = 151


@dataclass(frozen=True)
class Place:
    """A process of the cluster: its id, where it runs, and the node group of a data node."""

    number: int
    address: str
    group: int = 0


@dataclass(frozen=True)
class Layout:
    """All processes of one cluster, and what its data nodes are told.

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
        """config.ini."""
        managing, asking = self.ranks
        parts = [
            _section("ndbd default", {"DataDir": inside("data"), **self.settings}),
            *(
                _section("ndb_mgmd", {**_at(one), "DataDir": inside("data"), "ArbitrationRank": managing})
                for one in self.management
            ),
            *(_section("ndbd", {**_at(one), "NodeGroup": one.group}) for one in self.data),
            *(_section("mysqld", {**_at(one), "ArbitrationRank": asking}) for one in self.sql),
            # for the cluster's own tools, from whichever host
            _section("api", {}),
        ]
        return "\n".join(parts)

    @property
    def connection(self) -> str:
        """Where SQL nodes and data nodes ask who they are (ndb-connectstring)."""
        return ",".join(one.address for one in self.management)


def _at(place: Place) -> dict[str, Value]:
    return {"NodeId": place.number, "HostName": place.address}


def _section(name: str, values: Mapping[str, Value]) -> str:
    lines = [f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in values.items()]
    return "\n".join([f"[{name}]", *lines, ""])


def node_groups(sites: Sequence[str], replicas: int, spread: bool) -> list[int]:
    """The node group of each data node, so that each has so many.

    Args:
        sites: of the data nodes, in their order.
        replicas: data nodes in a group.
        spread: whether a group takes its members from as many sites as it can; else from as few.
    """
    order = sorted(range(len(sites)), key=lambda index: sites[index])
    if spread:
        # one of each site in turn
        rank = {index: [i for i in order if sites[i] == sites[index]].index(index) for index in order}
        order.sort(key=lambda index: (rank[index], sites[index]))
    groups = [0] * len(sites)
    for position, index in enumerate(order):
        groups[index] = position // replicas
    return groups
