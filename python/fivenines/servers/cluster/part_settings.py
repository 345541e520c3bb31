"""Settings that access layers and failover managers share."""

from collections.abc import Sequence
from typing import ClassVar

from fivenines.base.settings import Settings
from fivenines.servers.cluster.topology import Topology


class PartSettings(Settings):
    """Settings of a part of the deployment that is no server and may run on its own host."""

    # Name of the host that it runs on; empty: it has no host.
    host: ClassVar[str] = ""

    @property
    def watch_period(self) -> float:
        """Return the longest interval of its health checks, in seconds; 0: it makes none."""
        return 0.0

    @property
    def switches_over(self) -> bool:
        """Return whether it can make a planned switchover."""
        return False

    @property
    def engines(self) -> Sequence[str]:
        """Return the names of further engines that it needs, beyond those that its kind always needs."""
        return ()

    def machine_problem(self) -> str:
        """Return why it cannot run on this machine, after the name of its setting; empty if unknown."""
        return ""

    def problems_with(self, topology: Topology) -> list[str]:
        """Return why it does not fit a solution with these settings."""
        return []
