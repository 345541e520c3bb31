"""A deployed cluster as managers, access layers and faults see it: nodes, roles, members and endpoints."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Generic, Literal

from fivenines.base.errors import FiveninesError
from fivenines.lab.lab import Lab
from fivenines.lab.processes.look import Command
from fivenines.servers.cluster.aspect import N
from fivenines.servers.cluster.capabilities import Voter
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.cluster.replicated_disk import ReplicatedDisk
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.switchover import Stalling, Switchover
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.member import Member
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine

# What a client uses a node for.
Purpose = Literal["write", "read"]


class Cluster(Generic[N]):
    """The nodes, and an object for each aspect of them; subclasses deploy the nodes.

    Args:
        name: the name in reports.
        topology: the facts of the solution.
        lab: the lab with its hosts.
        engine: the database server.
    """

    # Types of the aspects. None: the cluster does not support it.
    roles_type: ClassVar[type[Roles[Any]]] = Roles
    membership_type: ClassVar[type[Membership[Any]]]
    switchover_type: ClassVar[type[Switchover[Any]] | None] = None
    stalling_type: ClassVar[type[Stalling[Any]] | None] = None
    replicated_disk_type: ClassVar[type[ReplicatedDisk[Any]] | None] = None

    # Condition that makes a node eligible for writes, as an argument of `fivenines-core health`.
    health: ClassVar[Literal["synced", "writable"]] = "writable"

    # Seconds within which another node must be seen to have the writes after a handover.
    hand_over_patience: ClassVar[float] = 5.0

    def __init__(self, name: str, topology: Topology, lab: Lab, engine: Engine) -> None:
        self.name = name
        self.topology = topology
        self.lab = lab
        self.engine = engine
        # The database servers that clients connect to.
        self.nodes: list[N] = []
        # Further servers that store data or manage membership for the nodes.
        self.parts: list[Member] = []
        # Passwords of the server accounts, valid in this lab only.
        self.passwords = Passwords()
        # A voter without data, if the cluster has one; set by the deployment.
        self.arbiter: Voter | None = None
        # Whether clients without an access layer read from replicas.
        self.read_replicas = False
        self.roles: Roles[N] = self.roles_type(self)
        self.membership: Membership[N] = self.membership_type(self)
        # Planned changes of the primary by its own commands.
        self.switchover: Switchover[N] | None = self.switchover_type(self) if self.switchover_type else None
        # Stalls replicas.
        self.stalling: Stalling[N] | None = self.stalling_type(self) if self.stalling_type else None
        # The disk that its nodes replicate.
        self.replicated_disk: ReplicatedDisk[N] | None = (
            self.replicated_disk_type(self) if self.replicated_disk_type else None
        )

    @property
    def serving(self) -> list[N]:
        """Return the nodes whose servers should run now: all, unless some stand by without a server."""
        return self.nodes

    @property
    def replicas(self) -> list[N]:
        """Return the nodes that clients read from if replicas answer reads; by default all but the first."""
        return self.nodes[1:]

    @property
    def members(self) -> list[Member]:
        """Return all servers of the cluster."""
        return [*self.nodes, *self.parts]

    def members_called(self, word: str) -> Sequence[Member]:
        """Return the servers that a solution-specific target word means now; empty if none matches."""
        return []

    def maintenance_order(self) -> list[Member]:
        """Return all servers in the order of a rolling restart: the primary last."""
        primary = self.roles.certain_primary()
        return [*self.parts, *sorted(self.nodes, key=lambda node: node is primary)]

    def replaces(self) -> bool:
        """Return whether built-in failover will now promote another node in place of a dead primary."""
        return False

    def events(self) -> list[ManagerEvent]:
        """Return the events that built-in failover has logged, in the format of a failover manager."""
        return []

    def failover_programs(self, host: str) -> Sequence[Command]:
        """Return the programs of built-in failover on a host; their children may be servers."""
        return []

    def manager_facts(self) -> dict[str, object]:
        """Return what the failover manager must know about this solution, in addition to addresses."""
        return {}

    def health_check(self, purpose: Purpose) -> tuple[int, str] | None:
        """Return port and path of a node's own HTTP health check; None: it has none."""
        return None

    def endpoints(self) -> Endpoints:
        """Return the endpoints of clients without an access layer."""
        every = tuple(node.endpoint for node in self.nodes)
        replicas = tuple(replica.endpoint for replica in self.replicas) if self.read_replicas else ()
        return Endpoints(write=every, read=replicas, find="writable", spread="first")

    def node(self, name: str) -> N:
        """Return the node of this name.

        Raises:
            FiveninesError: there is none.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        known = ", ".join(node.name for node in self.nodes)
        raise FiveninesError(f"there is no node {name!r}: the nodes are {known}")

    def member(self, name: str) -> Member:
        """Return the server of this name, of any kind.

        Raises:
            FiveninesError: there is none.
        """
        return next((part for part in self.parts if part.name == name), None) or self.node(name)

    def each(self, action: Callable[[N], None], nodes: Sequence[N] | None = None) -> None:
        """Run an action on all nodes in parallel, and raise the first error."""
        chosen = self.nodes if nodes is None else nodes
        with ThreadPoolExecutor(max_workers=max(1, len(chosen))) as pool:
            list(pool.map(action, chosen))
