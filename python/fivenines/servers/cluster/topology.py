"""Facts of a solution that are known before anything runs; settings are checked against them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fivenines.lab.network.sites import NODE

# Targets that mean one node.
_ONE = ("primary", "replica", "standby", "any")

# Host of the load, if there is only one.
CLIENT = "client"


@dataclass(frozen=True)
class Topology:
    """The facts of one solution with its settings.

    Attributes:
        solution: its kind.
        engine: the software of its database servers.
        durability: `strict` or `relaxed`.
        mode: replication mode; empty if it has no such setting.
        nodes: number of database servers.
        votes: number of votes of which a majority decides, including an arbiter's.
        hosts: names of further hosts, other than the nodes, the client, the access layer and the manager.
        access: kind of the access layer.
        access_host: name of its host; empty: it has none.
        manager: kind of the failover manager; empty if failover is built in.
        manager_host: name of its host; empty: it has none.
        decides_on_nodes: whether programs on the nodes' hosts, other than the servers, decide on a failover.
        moves_address: whether the failover manager moves an address to the primary.
        without_switchover: reasons why a planned switchover is not possible.
        clients: names of the hosts of the load.
        words: target words for further servers that faults may hit, with the meaning of each.
        machines: what its nodes are, `namespaces` or `virtual-machines`.
        chooses_successor: whether a switchover can name the new primary.
        storage_can_fail: whether its storage keeps copies by itself, parts of which can be made to fail.
        cpus: limit of each server's CPU time in cores; None: no limit.
        restart_seconds: about how long a server takes from its start until it is a member, on two cores.
    """

    solution: str
    engine: str
    durability: str
    mode: str
    nodes: int
    votes: int
    hosts: tuple[str, ...]
    access: str
    access_host: str
    manager: str
    manager_host: str
    moves_address: bool
    without_switchover: tuple[str, ...]
    clients: tuple[str, ...] = (CLIENT,)
    words: Mapping[str, str] = field(default_factory=dict)
    restart_seconds: float = 3.0
    machines: str = "namespaces"
    chooses_successor: bool = False
    storage_can_fail: bool = False
    decides_on_nodes: bool = False
    cpus: float | None = None

    @property
    def host_names(self) -> tuple[str, ...]:
        """Return the names of all hosts that are not nodes."""
        return tuple(
            name for name in (*self.clients, self.access_host, self.manager_host, *self.hosts) if name
        )

    def count_of(self, target: str) -> int:
        """Return about how many servers a target means; for a group, its largest size."""
        if target in _ONE or NODE.fullmatch(target) or target in self.hosts:
            return 1
        parts = [host for host in self.hosts if host in self.words]
        return self.nodes + (len(parts) if target == "all" or target in self.words else 0)

    def has_host(self, name: str) -> bool:
        """Return whether a node or another host has this name."""
        node = NODE.fullmatch(name)
        return name in self.host_names if node is None else int(node[1]) <= self.nodes
