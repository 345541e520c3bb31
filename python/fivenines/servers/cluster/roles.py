"""Roles of a cluster's nodes, as observed now and as of the last promotion."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from fivenines.base.errors import FiveninesError
from fivenines.servers.cluster.aspect import Aspect, N

if TYPE_CHECKING:
    from fivenines.servers.cluster.cluster import Cluster

# An unexpected primary is writable although another node is the primary of record.
Role = Literal["primary", "replica", "unexpected-primary", "down"]

# Seconds until a role counts as vacant. A node has two seconds to answer, and may be asked again.
_PATIENCE = 3.0


class Roles(Aspect[N]):
    """Which node is the primary, and what the others are; subclasses know more ways to find out."""

    def __init__(self, cluster: "Cluster[N]") -> None:
        super().__init__(cluster)
        # Name of the node that was promoted last; empty: the first node.
        self.appointed = ""
        # Callbacks that get the name of each promoted node.
        self.on_appointed: list[Callable[[str], None]] = []

    def observed(self, node: N) -> Literal["primary", "replica", "down"]:
        """Return the role that a node claims for itself; by default a writable node is a primary."""
        if not node.alive or not node.answers():
            return "down"
        return "primary" if node.writable() else "replica"

    def of(self, node: N) -> Role:
        """Return the current role of a node."""
        observed = self.observed(node)
        if observed == "primary" and self.primary() is not node:
            return "unexpected-primary"
        return observed

    def by_name(self) -> dict[str, str]:
        """Return the current role of each node, by node name."""
        observed = {node.name: self.observed(node) for node in self.cluster.nodes}
        primary = self._of_record(observed)
        return {
            name: "unexpected-primary"
            if role == "primary" and (primary is None or primary.name != name)
            else role
            for name, role in observed.items()
        }

    def primary(self) -> N | None:
        """Return the current primary; if several nodes are writable, the one that was promoted last."""
        return self._of_record({node.name: self.observed(node) for node in self.cluster.nodes})

    @property
    def primary_of_record(self) -> N:
        """Return the primary according to the last promotion, dead or alive."""
        return self.cluster.node(self.appointed) if self.appointed else self.cluster.nodes[0]

    def appoint(self, name: str) -> None:
        """Record that this node has been promoted."""
        self.appointed = name
        for callback in self.on_appointed:
            callback(name)

    def target(self, role: str) -> N:
        """Return the first node that has this role now.

        A node that answers too late looks like a node that is down: a role counts as vacant only after all
        nodes were asked for some time.

        Raises:
            FiveninesError: no node has the role.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            roles = self.by_name()
            for node in self.cluster.nodes:
                if roles[node.name] == role:
                    return node
            if time.monotonic() > deadline:
                raise FiveninesError(f"{self.cluster.name}: no node has the role {role} now")
            time.sleep(0.1)

    def second_primary_reason(self, node: N) -> str:
        """Return why a writable node should not be writable; empty if it may."""
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        return f"{node.name} is writable although {primary.name} is the primary"

    def stands_by(self, node: N) -> bool:
        """Return whether a node is ready without a running server, as the standby of a shared disk is."""
        return False

    def _of_record(self, observed: Mapping[str, str]) -> N | None:
        writing = [node for node in self.cluster.nodes if observed[node.name] == "primary"]
        return self.primary_of_record if self.primary_of_record in writing else next(iter(writing), None)
