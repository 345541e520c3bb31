"""What clusters share whose nodes agree on each commit: any working node could take the writes.

A majority decides; without one, a person makes the survivors a cluster of their own.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from fivenines.cluster.capabilities import Drain
from fivenines.cluster.cluster import N
from fivenines.cluster.endpoints import Endpoints
from fivenines.lab.world import World
from fivenines.software.base import Engine
from fivenines.solutions.base import Solution
from fivenines.solutions.read_locks import LOCK, ReadLocks
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration


class QuorumSettings(SolutionSettings):
    """Who gets the writes, and when a person helps."""

    writes: Literal["one", "all"]
    bootstrap_after: Duration | None


S = TypeVar("S", bound=QuorumSettings)


class Quorum(Solution[S, N]):
    """The first working node that is not drained gets the writes."""

    refusal: ClassVar[tuple[tuple[str, ...], str]]
    """Statements that let a node refuse writes, and in words what it then does."""
    acceptance: ClassVar[tuple[str, ...]]
    """Statements that undo it."""

    def __init__(self, settings: S, world: World, engine: Engine, data: Path) -> None:
        super().__init__(settings, world, engine, data)
        self.drained: set[str] = set()
        """Nodes that get no writes for now, although they could take them."""
        self._locks = ReadLocks()
        self._without_majority: float | None = None

    def writer(self, able: Sequence[N]) -> N:
        """Which of the working nodes gets the writes."""
        return next((node for node in able if node.name not in self.drained), able[0])

    def hand_over(self, access: object) -> str:
        node = self.target("primary")
        self.drained.add(node.name)
        if isinstance(access, Drain):
            access.drain(node.name)
            return f"{node.name} in maintenance at HAProxy, its sessions ended"
        statements, words = self.refusal
        node.execute(*statements)
        return f"{node.name} {words}"

    def undrain(self, access: object, node: N) -> None:
        if node.name not in self.drained:
            return
        self.drained.discard(node.name)
        if isinstance(access, Drain):
            access.undrain(node.name)
        elif node.alive:
            node.execute(*self.acceptance)

    def restart_order(self, nodes: Sequence[N]) -> list[N]:
        return list(nodes)

    def stall(self, node: N) -> str:
        # channels of the group itself cannot be stopped (MySQL: error 3139)
        self._locks.take(node)
        return LOCK

    def unstall(self, node: N) -> str:
        return self._locks.give_back(node)

    def endpoints(self) -> Endpoints:
        spread: Literal["first", "all"] = "all" if self.settings.writes == "all" else "first"
        return replace(super().endpoints(), spread=spread)

    def blocked_for_long(self, majority: bool) -> bool:
        """Whether a person would now make the survivors a cluster of their own; asked again and again.

        Args:
            majority: whether some node has one now, or no node answers at all.
        """
        if majority or self.settings.bootstrap_after is None:
            self._without_majority = None
            return False
        now = time.monotonic()
        if self._without_majority is None:
            self._without_majority = now
        if now - self._without_majority < self.settings.bootstrap_after:
            return False
        self._without_majority = None
        return True
