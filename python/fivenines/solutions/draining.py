"""Roles and switchover of clusters whose nodes could all take the writes, so that any node can be drained."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from fivenines.servers.cluster.aspect import N
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.silence import Observed
from fivenines.servers.cluster.switchover import Switchover

if TYPE_CHECKING:
    from fivenines.servers.cluster.cluster import Cluster


class Draining(Switchover[N]):
    """Writes go to the first working node that is not drained."""

    # Statements that make a node refuse writes, and its new state in words.
    refusal: ClassVar[tuple[tuple[str, ...], str]] = (("SET GLOBAL super_read_only = ON",), "is read-only")
    # Statements that undo it.
    acceptance: ClassVar[tuple[str, ...]] = ("SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF")

    def __init__(self, cluster: "Cluster[N]") -> None:
        super().__init__(cluster)
        # Nodes that get no writes for now, although they could take them.
        self.drained: set[str] = set()

    def writer(self, able: Sequence[N]) -> N:
        """Return which of the working nodes gets the writes."""
        return next((node for node in able if node.name not in self.drained), able[0])

    def roles(self, able: Mapping[str, bool | None]) -> dict[str, Observed]:
        """Return the roles of nodes that are able to take the writes or not; None: they have not answered."""
        possible = [node for node in self.cluster.nodes if able[node.name] is not False]
        writer = self.writer(possible).name if possible else ""
        words: dict[bool | None, Observed] = {True: "replica", False: "down", None: "silent"}
        return {name: "primary" if name == writer and now else words[now] for name, now in able.items()}

    def hand_over(self, draining: Drain | None) -> str:
        node = self.cluster.roles.target("primary")
        self.drained.add(node.name)
        if draining is not None:
            return f"{node.name} {draining.drain(node.name)}"
        statements, words = self.refusal
        node.sql.execute(*statements)
        return f"{node.name} {words}"

    def undrain(self, draining: Drain | None, node: N) -> None:
        if node.name not in self.drained:
            return
        self.drained.discard(node.name)
        if draining is not None:
            draining.undrain(node.name)
        elif node.alive:
            node.sql.execute(*self.acceptance)


class DrainingRoles(Roles[N], ABC):
    """The first working node that is not drained is called the primary."""

    @abstractmethod
    def able(self, node: N) -> bool | None:
        """Return whether a node could take the writes now; None if it runs and does not answer."""

    def observed(self, node: N) -> Observed:
        return self.all_observed()[node.name]

    def all_observed(self) -> dict[str, Observed]:
        able = {node.name: self.able(node) for node in self.cluster.nodes}
        switchover = self.cluster.switchover
        assert isinstance(switchover, Draining)
        return switchover.roles(able)
