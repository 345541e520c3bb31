"""What is known of a solution before anything runs: facts that settings are checked against."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fivenines.lab.sites import NODE

_ONE = ("primary", "replica", "standby", "any")
"""Targets that mean one node."""

CLIENT = "client"
"""The host of the load, where there is one alone."""


@dataclass(frozen=True)
class Topology:
    """The facts of one solution with its settings.

    Attributes:
        solution: its kind.
        engine: the software of its database servers.
        durability: `strict` or `relaxed`.
        mode: of its replication; empty where it has no such setting.
        nodes: number of database servers.
        votes: number of votes of which a majority decides: of the servers, and of an arbiter beside them.
        hosts: names of the hosts beside the nodes, the client, the access layer and the manager.
        access: kind of the access layer.
        access_host: the name of its own host; empty: it has none.
        manager: kind of the failover manager; empty where failover is built in.
        manager_host: the name of its own host; empty: it has none.
        moves_address: whether the failover manager moves an address to the primary.
        without_switchover: why the primary's role cannot be handed over as planned maintenance does.
        clients: names of the hosts of the load.
        words: for servers beside the nodes that faults may hit, with what each means.
        machines: what its nodes are, `processes` or `virtual machines`.
        chooses_successor: whether a switchover can be told who shall be the primary then.
        storage_can_fail: whether its storage keeps copies by itself, parts of which can be made to fail.
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

    @property
    def host_names(self) -> tuple[str, ...]:
        """The names of all hosts that are no nodes."""
        return tuple(
            name for name in (*self.clients, self.access_host, self.manager_host, *self.hosts) if name
        )

    def count_of(self, target: str) -> int:
        """About how many servers a target means: of a group as many as there are at most."""
        if target in _ONE or NODE.fullmatch(target) or target in self.hosts:
            return 1
        parts = [host for host in self.hosts if host in self.words]
        return self.nodes + (len(parts) if target == "all" or target in self.words else 0)

    def has_host(self, name: str) -> bool:
        """Whether a node or another host has this name."""
        node = NODE.fullmatch(name)
        return name in self.host_names if node is None else int(node[1]) <= self.nodes
