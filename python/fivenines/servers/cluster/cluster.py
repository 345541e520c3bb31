"""A deployed cluster as managers, access layers and faults see it: nodes, roles and queries."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, Generic, Literal, TypeVar

from fivenines.base.errors import FiveninesError
from fivenines.lab.lab import Lab
from fivenines.servers.base import Server
from fivenines.servers.cluster.capabilities import Drain, Voter
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.replicated_disk import DiskStatus
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.member import Member
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine

# An unexpected primary is writable although another node is the primary of record.
Role = Literal["primary", "replica", "unexpected-primary", "down"]

# What a client uses a node for.
Purpose = Literal["write", "read"]


# Seconds until a role counts as vacant. A node has two seconds to answer, and may be asked again.
_PATIENCE = 3.0

# Type of the servers.
N = TypeVar("N", bound=Server)


class Cluster(ABC, Generic[N]):
    """The nodes and their roles; subclasses deploy the nodes and let them rejoin.

    Args:
        name: the name in reports.
        topology: the facts of the solution.
        lab: the lab with its hosts.
        engine: the database server.
    """

    # Condition that makes a node eligible for writes, as an argument of `fivenines-core health`.
    health: ClassVar[Literal["synced", "writable"]] = "writable"

    # Seconds within which another node must be seen to have the writes after a handover.
    hand_over_patience: ClassVar[float] = 5.0

    # Whether the nodes share a replicated disk, which `disk_status` describes.
    replicates_disk: ClassVar[bool] = False

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
        # Name of the node that was promoted last; empty: the first node.
        self.appointed = ""
        # Callbacks that get the name of each promoted node.
        self.on_appointed: list[Callable[[str], None]] = []
        # Whether clients without an access layer read from replicas.
        self.read_replicas = False

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

    def observed_role(self, node: N) -> Literal["primary", "replica", "down"]:
        """Return the role that a node claims for itself; by default a writable node is a primary."""
        if not node.alive or not node.answers():
            return "down"
        return "primary" if node.writable() else "replica"

    def stands_by(self, node: N) -> bool:
        """Return whether a node is ready without a running server, as the standby of a shared disk is."""
        return False

    def disk_status(self, node: N) -> DiskStatus | None:
        """Return the state of the shared disk as a node sees it; None: not available, or no shared disk."""
        return None

    def second_primary_reason(self, node: N) -> str:
        """Return why a writable node should not be writable; empty if it may."""
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        return f"{node.name} is writable although {primary.name} is the primary"

    @abstractmethod
    def rejoin(self, node: N) -> None:
        """Start a dead node's server again as a member under the current primary.

        Raises:
            FiveninesError: it could not be started or attached; with the reason.
        """

    def unexpected_primary_reason(self, node: N) -> str:
        """Return why a live node does not become a member again by itself; empty if it may."""
        return ""

    def restore_data(self, node: N) -> None:
        """Replace the data of a stopped node by the data set, as from a backup; its own history is discarded.

        Raises:
            FiveninesError: the solution does not support it.
        """
        raise FiveninesError(f"{self.name}: {node.name} cannot be restored: this solution restores no nodes")

    def remediate(self) -> list[str]:
        """Run the automatic remediation, twice a second while a fault lasts; return its actions in words."""
        return []

    def stall(self, node: N) -> str:
        """Stop a replica from applying changes, and return in words how. `unstall` ends it.

        Raises:
            FiveninesError: it could not be stalled.
        """
        raise FiveninesError(f"{self.name}: it has no replica that could stall")

    def unstall(self, node: N) -> str:
        """Let a stalled replica apply changes again; return why it does not, or an empty string."""
        return ""

    def replaces(self) -> bool:
        """Return whether built-in failover will now promote another node in place of a dead primary."""
        return False

    def hand_over(self, draining: Drain | None) -> str:
        """Move the writes to another node where no failover manager does it; return in words how.

        Args:
            draining: the access layer, if it can take nodes out of service.

        Raises:
            FiveninesError: the solution does not support it.
        """
        raise FiveninesError(f"{self.name}: it does not support a switchover")

    def hand_over_to(self, name: str) -> str:
        """Move the writes to the node of this name.

        Raises:
            FiveninesError: the solution does not support it.
        """
        raise FiveninesError(f"{self.name}: it does not support choosing the new primary")

    def undrain(self, draining: Drain | None, node: N) -> None:
        """Let a node that handed over its writes get writes again."""
        return

    def restart_order(self, nodes: Sequence[N]) -> list[N]:
        """Return the order in which dead nodes are started again: the primary of record first."""
        return sorted(nodes, key=lambda node: node is not self.primary_of_record)

    def maintenance_order(self) -> list[Member]:
        """Return all servers in the order of a rolling restart: the primary last."""
        primary = self.primary()
        return [*self.parts, *sorted(self.nodes, key=lambda node: node is primary)]

    @abstractmethod
    def not_joined_reason(self, node: N) -> str:
        """Return why a node is not a working member now; empty if it is one."""

    @abstractmethod
    def lag_reason(self, node: N) -> str:
        """Return what a replica still has to apply; empty if it has applied all that the primary has."""

    def written(self) -> Callable[[N], str]:
        """Take the primary's write position; return a check of what a node has not applied up to it.

        Under load a replica may never have all that the primary has at the same moment (`lag_reason`).
        """
        return self.lag_reason

    def events(self) -> list[ManagerEvent]:
        """Return the events that built-in failover has logged, in the format of a failover manager."""
        return []

    def manager_facts(self) -> dict[str, object]:
        """Return what the failover manager must know about this solution, in addition to addresses."""
        return {}

    @property
    def primary_of_record(self) -> N:
        """Return the primary according to the last promotion, dead or alive."""
        return self.node(self.appointed) if self.appointed else self.nodes[0]

    def appoint(self, name: str) -> None:
        """Record that this node has been promoted."""
        self.appointed = name
        for callback in self.on_appointed:
            callback(name)

    def primary(self) -> N | None:
        """Return the current primary; if several nodes are writable, the one that was promoted last."""
        return self._of_record({node.name: self.observed_role(node) for node in self.nodes})

    def role(self, node: N) -> Role:
        """Return the current role of a node."""
        observed = self.observed_role(node)
        if observed == "primary" and self.primary() is not node:
            return "unexpected-primary"
        return observed

    def target(self, role: str) -> N:
        """Return the first node that has this role now.

        A node that answers too late looks like a node that is down: a role counts as vacant only after all
        nodes were asked for some time.

        Raises:
            FiveninesError: no node has the role.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            roles = self.roles()
            for node in self.nodes:
                if roles[node.name] == role:
                    return node
            if time.monotonic() > deadline:
                raise FiveninesError(f"{self.name}: no node has the role {role} now")
            time.sleep(0.1)

    def roles(self) -> dict[str, str]:
        """Return the current role of each node, by node name."""
        observed = {node.name: self.observed_role(node) for node in self.nodes}
        primary = self._of_record(observed)
        return {
            name: "unexpected-primary"
            if role == "primary" and (primary is None or primary.name != name)
            else role
            for name, role in observed.items()
        }

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

    def _of_record(self, observed: Mapping[str, str]) -> N | None:
        writing = [node for node in self.nodes if observed[node.name] == "primary"]
        return self.primary_of_record if self.primary_of_record in writing else next(iter(writing), None)
