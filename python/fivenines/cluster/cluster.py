"""A deployed cluster as everybody below a solution knows it: its nodes, their roles, what can be asked."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, Generic, Literal, TypeVar

from fivenines.cluster.capabilities import Drain, Voter
from fivenines.cluster.endpoints import Endpoints
from fivenines.cluster.events import ManagerEvent
from fivenines.cluster.replicated_disk import DiskStatus
from fivenines.cluster.topology import Topology
from fivenines.errors import FiveninesError
from fivenines.lab.lab import Lab
from fivenines.servers.base import Server
from fivenines.servers.member import Member
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine

Role = Literal["primary", "replica", "unexpected-primary", "down"]
"""A stray takes writes although another node is the primary of record."""

Purpose = Literal["write", "read"]
"""What a client wants of a node."""


_PATIENCE = 3.0
"""Seconds until nobody has a role. A node has two to answer, and may be asked again."""

N = TypeVar("N", bound=Server)
"""Its kind of server."""


class Cluster(ABC, Generic[N]):
    """Its nodes and their roles; a solution says how they are made, and how they come back.

    Args:
        name: what reports call it.
        topology: its facts.
        lab: where its hosts are.
        engine: its database server.
    """

    health: ClassVar[Literal["synced", "writable"]] = "writable"
    """What makes a node eligible for writes, in the words of `fivenines-core health`."""

    hand_over_patience: ClassVar[float] = 5.0
    """Seconds until another node must be seen to have the writes that were handed over."""

    replicates_disk: ClassVar[bool] = False
    """Whether its nodes share a disk, of which `disk_status` tells."""

    def __init__(self, name: str, topology: Topology, lab: Lab, engine: Engine) -> None:
        self.name = name
        self.topology = topology
        self.lab = lab
        self.engine = engine
        self.nodes: list[N] = []
        """The database servers that clients speak to."""
        self.parts: list[Member] = []
        """Servers beside them, which keep the data or the membership for them."""
        self.passwords = Passwords()
        """Of the accounts of its servers, for this lab alone."""
        self.arbiter: Voter | None = None
        """Who votes beside the nodes, where there is one; known once it is deployed."""
        self.appointed = ""
        """The node that was promoted last; empty: the first one."""
        self.on_appointed: list[Callable[[str], None]] = []
        """Called with the name of each node that is promoted."""
        self.read_replicas = False
        """Whether clients without an access layer read from replicas."""

    @property
    def serving(self) -> list[N]:
        """The nodes whose servers are to run now: all, unless some stand by without one."""
        return self.nodes

    @property
    def replicas(self) -> list[N]:
        """The nodes that clients read from where replicas answer reads: all but the first, by default."""
        return self.nodes[1:]

    @property
    def members(self) -> list[Member]:
        """All of its servers."""
        return [*self.nodes, *self.parts]

    def members_called(self, word: str) -> Sequence[Member]:
        """The servers that one of its topology's own words means now; none: nobody is that now."""
        return []

    def observed_role(self, node: N) -> Literal["primary", "replica", "down"]:
        """The role that a node takes itself to have now: by default who takes writes is a primary."""
        if not node.alive or not node.answers():
            return "down"
        return "primary" if node.writable() else "replica"

    def stands_by(self, node: N) -> bool:
        """Whether a node is ready without a server that runs, as the standby of a shared disk is."""
        return False

    def disk_status(self, node: N) -> DiskStatus | None:
        """What a node tells of the disk that it shares; None: it cannot be asked, or shares none."""
        return None

    def second_primary_reason(self, node: N) -> str:
        """Why a node that takes writes should not; empty if it may."""
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        return f"{node.name} takes writes although {primary.name} is the primary"

    @abstractmethod
    def rejoin(self, node: N) -> None:
        """Start a dead node's server again as a member, under whoever is primary now.

        Raises:
            FiveninesError: it could not be started or attached; says why.
        """

    def unexpected_primary_reason(self, node: N) -> str:
        """Why a live node does not become a member again by itself; empty if it may."""
        return ""

    def restore_data(self, node: N) -> None:
        """Give a stopped node the data set again, as from a backup: its own history is no use any more.

        Raises:
            FiveninesError: it has no means for that.
        """
        raise FiveninesError(f"{self.name}: nobody restores {node.name}")

    def on_call_step(self) -> list[str]:
        """What a person on call does while something is broken, twice a second; in words, if anything."""
        return []

    def stall(self, node: N) -> str:
        """Let a replica apply nothing; in words how. `unstall` ends it.

        Raises:
            FiveninesError: it could not be stalled.
        """
        raise FiveninesError(f"{self.name}: no replica that could stall")

    def unstall(self, node: N) -> str:
        """Let a stalled replica apply again; why it does not, empty if it does."""
        return ""

    def replaces(self) -> bool:
        """Whether a failover that is built in will now give a dead primary's role to another node."""
        return False

    def hand_over(self, draining: Drain | None) -> str:
        """Let another node get the writes, where no failover manager does that; in words how.

        `draining`: the access layer, where that can take nodes out of service.

        Raises:
            FiveninesError: it has no means for that.
        """
        raise FiveninesError(f"{self.name}: it cannot make a switchover")

    def hand_over_to(self, name: str) -> str:
        """The same, to the node of this name.

        Raises:
            FiveninesError: it has no means for that.
        """
        raise FiveninesError(f"{self.name}: who shall be the primary cannot be chosen")

    def undrain(self, draining: Drain | None, node: N) -> None:
        """Let a node that has handed over get writes again."""
        return

    def restart_order(self, nodes: Sequence[N]) -> list[N]:
        """The order in which dead nodes are started again: the primary of record first."""
        return sorted(nodes, key=lambda node: node is not self.primary_of_record)

    def maintenance_order(self) -> list[Member]:
        """All of its servers as a rolling restart takes them now: the primary last."""
        primary = self.primary()
        return [*self.parts, *sorted(self.nodes, key=lambda node: node is primary)]

    @abstractmethod
    def not_joined_reason(self, node: N) -> str:
        """Why a node is not a working member now; empty when it is one."""

    @abstractmethod
    def lag_reason(self, node: N) -> str:
        """What a replica still has to apply; empty when it has applied all that the primary has."""

    def written(self) -> Callable[[N], str]:
        """What the primary has written until now: asked of a node, what of that it has not applied yet.

        Under load a replica may never have all that the primary has at the same moment (`lag_reason`).
        """
        return self.lag_reason

    def events(self) -> list[ManagerEvent]:
        """What a failover that is built in has told so far (in its logs), as a manager does."""
        return []

    def manager_facts(self) -> dict[str, object]:
        """What the failover manager must know of this solution, beside addresses."""
        return {}

    @property
    def primary_of_record(self) -> N:
        """The node that is primary by the last decision, dead or alive."""
        return self.node(self.appointed) if self.appointed else self.nodes[0]

    def appoint(self, name: str) -> None:
        """Note that this node has been promoted."""
        self.appointed = name
        for told in self.on_appointed:
            told(name)

    def primary(self) -> N | None:
        """The primary of record now: of several that take writes, the one that was promoted last."""
        return self._of_record({node.name: self.observed_role(node) for node in self.nodes})

    def role(self, node: N) -> Role:
        """The role that a node has now."""
        observed = self.observed_role(node)
        if observed == "primary" and self.primary() is not node:
            return "unexpected-primary"
        return observed

    def target(self, role: str) -> N:
        """The first node that has this role now.

        A node that answers too late looks like one that is down: nobody is said to have it before all were
        asked for some time.

        Raises:
            FiveninesError: no node has it.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            found = self.roles()
            for node in self.nodes:
                if found[node.name] == role:
                    return node
            if time.monotonic() > deadline:
                raise FiveninesError(f"{self.name}: no node is {role} now")
            time.sleep(0.1)

    def roles(self) -> dict[str, str]:
        """The role of each node now."""
        observed = {node.name: self.observed_role(node) for node in self.nodes}
        primary = self._of_record(observed)
        return {
            name: "unexpected-primary"
            if role == "primary" and (primary is None or primary.name != name)
            else role
            for name, role in observed.items()
        }

    def health_check(self, purpose: Purpose) -> tuple[int, str] | None:
        """Port and path on a node that answer HTTP checks by themselves; None: nothing does."""
        return None

    def endpoints(self) -> Endpoints:
        """Where clients without an access layer find it."""
        every = tuple(node.endpoint for node in self.nodes)
        replicas = tuple(one.endpoint for one in self.replicas) if self.read_replicas else ()
        return Endpoints(write=every, read=replicas, find="writable", spread="first")

    def node(self, name: str) -> N:
        """The node of this name.

        Raises:
            FiveninesError: there is none.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        known = ", ".join(node.name for node in self.nodes)
        raise FiveninesError(f"there is no node {name!r}: the nodes are {known}")

    def member(self, name: str) -> Member:
        """The server of this name, of whatever kind.

        Raises:
            FiveninesError: there is none.
        """
        return next((one for one in self.parts if one.name == name), None) or self.node(name)

    def each(self, action: Callable[[N], None], nodes: Sequence[N] | None = None) -> None:
        """Do something with all nodes at once; the first error is raised."""
        chosen = self.nodes if nodes is None else nodes
        with ThreadPoolExecutor(max_workers=max(1, len(chosen))) as pool:
            list(pool.map(action, chosen))

    def _of_record(self, observed: Mapping[str, str]) -> N | None:
        writing = [node for node in self.nodes if observed[node.name] == "primary"]
        return self.primary_of_record if self.primary_of_record in writing else next(iter(writing), None)
