"""Base of clusters whose nodes could all take the writes, so that any node can be drained."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

from fivenines.lab.lab import Lab
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.cluster import N
from fivenines.software.base import Engine
from fivenines.solutions.base import Solution
from fivenines.solutions.settings import SolutionSettings

S = TypeVar("S", bound=SolutionSettings)


class Draining(Solution[S, N]):
    """Writes go to the first working node that is not drained."""

    # Statements that make a node refuse writes, and its new state in words.
    refusal: ClassVar[tuple[tuple[str, ...], str]]
    # Statements that undo it.
    acceptance: ClassVar[tuple[str, ...]]

    def __init__(self, settings: S, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        # Nodes that get no writes for now, although they could take them.
        self.drained: set[str] = set()

    def writer(self, able: Sequence[N]) -> N:
        """Return which of the working nodes gets the writes."""
        return next((node for node in able if node.name not in self.drained), able[0])

    def hand_over(self, draining: Drain | None) -> str:
        node = self.target("primary")
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
