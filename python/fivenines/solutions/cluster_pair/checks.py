"""What does not fit a pair of clusters."""

from typing import TYPE_CHECKING

from fivenines.solutions.checks import Checks
from fivenines.solutions.galera.options import option_problems
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.reserved import PROVIDER

if TYPE_CHECKING:
    pass
    from fivenines.solutions.cluster_pair.settings import ClusterPairSettings


class PairChecks(Checks):
    """Those of both clusters."""

    settings: "ClusterPairSettings"

    def problems_with_switchover(self) -> list[str]:
        return [
            "pairs of clusters do not support planned switchovers; `host-kill` with target `a` causes a "
            "failover"
        ]

    def refused(self) -> dict[tuple[str, ...], str]:
        inside = {
            (name, *keys): text
            for name, settings in self.settings.clusters()
            for keys, text in settings.checks.refused().items()
            if keys[0] != "server"
        }
        options = self.settings.server.get(PROVIDER)
        problem = (
            option_problems(options, segments=self.settings.a.segments)
            if (isinstance(self.settings.a, GaleraSettings) and isinstance(options, str))
            else ""
        )
        return super().refused() | inside | ({("server", PROVIDER): problem} if problem else {})
