"""Base of clusters whose nodes agree on each commit: any working node could take the writes.

A majority decides; without a majority, automatic remediation makes the survivors a new cluster.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from fivenines.base.units import Duration
from fivenines.servers.cluster.aspect import N
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.member import Member
from fivenines.solutions.base import Solution
from fivenines.solutions.read_locks import ReadLocks
from fivenines.solutions.settings import SolutionSettings

if TYPE_CHECKING:
    from fivenines.servers.cluster.cluster import Cluster


class QuorumSettings(SolutionSettings):
    """Settings of writers and of automatic remediation."""

    writes: Literal["one", "all"]
    bootstrap_after: Duration | None


S = TypeVar("S", bound=QuorumSettings)


class QuorumMembership(Membership[N]):
    """Members of a cluster that works while a majority of them does."""

    cluster: "Quorum[Any, N]"

    def __init__(self, cluster: "Cluster[N]") -> None:
        super().__init__(cluster)
        self._without_majority: float | None = None

    def restart_order(self, servers: Sequence[Member]) -> list[Member]:
        return list(servers)

    def blocked_for_long(self, majority: bool) -> bool:
        """Return whether remediation should now make the survivors a new cluster; called repeatedly.

        Args:
            majority: whether some node has a majority now, or no node answers at all.
        """
        patience = self.cluster.settings.bootstrap_after
        if majority or patience is None:
            self._without_majority = None
            return False
        now = time.monotonic()
        if self._without_majority is None:
            self._without_majority = now
        if now - self._without_majority < patience:
            return False
        self._without_majority = None
        return True


class Quorum(Solution[S, N]):
    """A cluster of equal nodes, a majority of which must work."""

    # The group's own channels cannot be stopped (MySQL: error 3139).
    stalling_type = ReadLocks

    def endpoints(self) -> Endpoints:
        spread: Literal["first", "all"] = "all" if self.settings.writes == "all" else "first"
        return replace(super().endpoints(), spread=spread)
