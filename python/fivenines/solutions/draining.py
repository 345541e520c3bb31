"""Roles and switchover of clusters whose nodes could all take the writes, so that any node can be drained."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from fivenines.servers.cluster.aspect import N
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.roles import Observed, Roles
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
        now = self.able(node)
        if not now:
            return "silent" if now is None else "down"
        switchover = self.cluster.switchover
        assert isinstance(switchover, Draining)
        able = [other for other in self.cluster.nodes if self.able(other)]
        return "primary" if switchover.writer(able) is node else "replica"
