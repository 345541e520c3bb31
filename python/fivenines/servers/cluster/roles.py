"""Roles of a cluster's nodes, as observed now and as of the last promotion."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from fivenines.base.errors import FiveninesError
from fivenines.servers.cluster.aspect import Aspect, N
from fivenines.servers.cluster.silence import SILENCE, Observed, Silence

if TYPE_CHECKING:
    from fivenines.servers.cluster.cluster import Cluster

# An unexpected primary is writable although another node is the primary of record; a silent node is down.
Role = Literal["primary", "replica", "unexpected-primary", "down"]

# Seconds for which all nodes must have answered, or be down, until a role counts as vacant.
_PATIENCE = 3.0

_BETWEEN = 0.1


class Roles(Aspect[N]):
    """Which node is the primary, and what the others are; subclasses know more ways to find out."""

    def __init__(self, cluster: "Cluster[N]") -> None:
        super().__init__(cluster)
        # Name of the node that was promoted last; empty: the first node.
        self.appointed = ""
        # Callbacks that get the name of each promoted node.
        self.on_appointed: list[Callable[[str], None]] = []
        self._silence = Silence()

    def observed(self, node: N) -> Observed:
        """Return the role that a node claims for itself; by default a writable node is a primary."""
        if not node.alive or node.frozen:
            return "down"
        writes = node.accepts_writes()
        if writes is None:
            return "silent"
        return "primary" if writes else "replica"

    def of(self, node: N) -> Role:
        """Return the current role of a node."""
        return self._judged(self.all_observed())[node.name]

    def all_observed(self) -> dict[str, Observed]:
        """Return the role that each node claims for itself, by node name."""
        return {node.name: self.observed(node) for node in self.cluster.nodes}

    def by_name(self) -> dict[str, Role]:
        """Return the current role of each node, by node name; silent ones are asked for some time."""
        while "silent" in (observed := self._look()).values():
            time.sleep(_BETWEEN)
        return self._judged(observed)

    def primary(self) -> N | None:
        """Return the current primary; if several nodes are writable, the one that was promoted last.

        A node that does not answer in time is not found. Where that would matter, use `certain_primary`.
        """
        return self._of_record(self._look())

    def certain_primary(self) -> N | None:
        """Return the current primary; None only if no node can be it: silent ones are asked for some time."""
        while self._undecided(observed := self._look()):
            time.sleep(_BETWEEN)
        return self._of_record(observed)

    @property
    def primary_of_record(self) -> N:
        """Return the primary according to the last promotion, dead or alive."""
        return self.cluster.node(self.appointed) if self.appointed else self.cluster.nodes[0]

    def appoint(self, name: str) -> None:
        """Record that this node has been promoted."""
        self.appointed = name
        for callback in self.on_appointed:
            callback(name)

    def target(self, role: Role) -> N:
        """Return the first node that has this role now.

        A role counts as vacant only after all nodes have answered for some time: one of them may be about to
        get it. Silent nodes are asked for longer.

        Raises:
            FiveninesError: no node has the role.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            observed = self._look()
            undecided = self._undecided(observed) if role == "primary" else False
            roles = self._judged(observed)
            for node in self.cluster.nodes:
                if roles[node.name] == role and not undecided:
                    return node
            if "silent" in observed.values():
                deadline = time.monotonic() + _PATIENCE
            if time.monotonic() > deadline:
                late = self._silence.given_up()
                why = f": {', '.join(late)} did not answer for {SILENCE:g} s" if late else ""
                raise FiveninesError(f"{self.cluster.name}: no node has the role {role} now{why}")
            time.sleep(_BETWEEN)

    def second_primary_reason(self, node: N) -> str:
        """Return why a writable node should not be writable; empty if it may."""
        primary = self.certain_primary()
        if primary is None or primary is node:
            return ""
        return f"{node.name} is writable although {primary.name} is the primary"

    def stands_by(self, node: N) -> bool:
        """Return whether a node is ready without a running server, as the standby of a shared disk is."""
        return False

    def _look(self) -> dict[str, Observed]:
        return self._silence.judged(self.all_observed())

    def _judged(self, observed: Mapping[str, Observed]) -> dict[str, Role]:
        primary = self._of_record(observed)
        return {
            name: "unexpected-primary"
            if role == "primary" and (primary is None or primary.name != name)
            else "down"
            if role == "silent"
            else role
            for name, role in observed.items()
        }

    def _undecided(self, observed: Mapping[str, Observed]) -> bool:
        """Return whether a silent node could be the primary.

        Another node that is writable may be an old primary that is back, while the one of record is late.
        """
        if self._of_record(observed) is None:
            return "silent" in observed.values()
        return observed[self.primary_of_record.name] == "silent"

    def _of_record(self, observed: Mapping[str, str]) -> N | None:
        writing = [node for node in self.cluster.nodes if observed[node.name] == "primary"]
        return self.primary_of_record if self.primary_of_record in writing else next(iter(writing), None)
