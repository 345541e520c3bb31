"""What clusters share whose nodes agree on each commit: any working node could take the writes.

A majority decides; without one, a person makes the survivors a cluster of their own.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from fivenines.cluster.cluster import N
from fivenines.cluster.endpoints import Endpoints
from fivenines.lab.lab import Lab
from fivenines.software.base import Engine
from fivenines.solutions.draining import Draining
from fivenines.solutions.read_locks import LOCK, ReadLocks
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration


class QuorumSettings(SolutionSettings):
    """Who gets the writes, and when a person helps."""

    writes: Literal["one", "all"]
    bootstrap_after: Duration | None


S = TypeVar("S", bound=QuorumSettings)


class Quorum(Draining[S, N]):
    """Its nodes are alike; a majority of them must work."""

    def __init__(self, settings: S, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self._locks = ReadLocks()
        self._without_majority: float | None = None

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
