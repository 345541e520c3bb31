"""What access layers and failover managers say of themselves before anything runs."""

from collections.abc import Sequence
from typing import ClassVar

from fivenines.cluster.topology import Topology
from fivenines.settings import Settings


class PartSettings(Settings):
    """Settings of a part beside the servers, which may run on a host of its own."""

    host: ClassVar[str] = ""
    """The name of the host that it runs on; empty: it has none of its own."""

    @property
    def watch_period(self) -> float:
        """Seconds between two of its looks at the nodes, the longest; 0: it does not look."""
        return 0.0

    @property
    def switches_over(self) -> bool:
        """Whether it hands the primary's role over when it is asked to."""
        return False

    @property
    def engines(self) -> Sequence[str]:
        """The engines that it needs, by name, beside those that its kind always needs."""
        return ()

    def machine_problem(self) -> str:
        """Why it cannot run on this machine, after the name of its setting; empty if that is not known."""
        return ""

    def problems_with(self, topology: Topology) -> list[str]:
        """Why it makes no sense with these settings of a solution."""
        return []
