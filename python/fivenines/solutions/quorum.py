"""Base of clusters whose nodes agree on each commit: any working node could take the writes.

A majority decides; without a majority, automatic remediation makes the survivors a new cluster.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from fivenines.base.units import Duration
from fivenines.lab.lab import Lab
from fivenines.servers.cluster.cluster import N
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.software.base import Engine
from fivenines.solutions.draining import Draining
from fivenines.solutions.read_locks import LOCK, ReadLocks
from fivenines.solutions.settings import SolutionSettings


class QuorumSettings(SolutionSettings):
    """Settings of writers and of automatic remediation."""

    writes: Literal["one", "all"]
    bootstrap_after: Duration | None


S = TypeVar("S", bound=QuorumSettings)


class Quorum(Draining[S, N]):
    """A cluster of equal nodes, a majority of which must work."""

    def __init__(self, settings: S, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self._locks = ReadLocks()
        self._without_majority: float | None = None

    def restart_order(self, nodes: Sequence[N]) -> list[N]:
        return list(nodes)

    def stall(self, node: N) -> str:
        # The group's own channels cannot be stopped (MySQL: error 3139).
        self._locks.take(node)
        return LOCK

    def unstall(self, node: N) -> str:
        return self._locks.give_back(node)

    def endpoints(self) -> Endpoints:
        spread: Literal["first", "all"] = "all" if self.settings.writes == "all" else "first"
        return replace(super().endpoints(), spread=spread)

    def blocked_for_long(self, majority: bool) -> bool:
        """Return whether remediation should now make the survivors a new cluster; called repeatedly.

        Args:
            majority: whether some node has a majority now, or no node answers at all.
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
