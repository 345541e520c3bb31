"""What all failover managers share: who promotes another node when the primary dies."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.settings import Settings


class ManagerSettings(Settings):
    """Settings of any failover manager; `kind` is narrowed by each subclass."""

    host: ClassVar[str] = ""
    """The name of the host that it runs on; empty: it has none of its own."""

    failover_fact: ClassVar[str] = ""
    """Who fails over, and how, in a few words; for the facts of a solution."""

    on_nodes: ClassVar[bool] = False
    """Whether it runs on the nodes themselves, where their majority decides."""

    moves_address: ClassVar[bool] = False
    """Whether it takes an address along to the primary."""

    software: ClassVar[str | None] = None
    """The engine whose root file system the nodes have instead of their server's own, as it carries both."""

    all_ids: ClassVar[bool] = False
    """Whether its programs change their user: the lab must map all user ids, which takes root."""

    for_guests: ClassVar[bool] = True
    """Whether it can look after servers on virtual machines."""

    server_settings: ClassVar[Mapping[str, str | int | float | bool]] = {}
    """What it needs of the nodes' servers, over the settings of the solution."""

    kind: str = Field(description="the kind of failover manager")

    @property
    def supervises(self) -> bool:
        """Whether it makes nodes members again by itself: the solution's `rejoin` is not called then."""
        return False

    @property
    def engines(self) -> Sequence[str]:
        """The engines that it needs, by name, beside those that its kind always needs."""
        return ()

    def machine_problem(self) -> str:
        """Why it cannot run on this machine, after the name of its setting; empty if that is not known."""
        return ""

    @property
    def watch_period(self) -> float:
        """Seconds between two of its looks at the nodes, the longest; 0: it does not look."""
        return 0.0

    @property
    def switches_over(self) -> bool:
        """Whether it hands the primary's role over when it is asked to."""
        return bool(self.host)

    def problems_with(self, topology: Topology) -> list[str]:
        """Why it makes no sense with these settings of a solution."""
        return []
