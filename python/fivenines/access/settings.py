"""What all access layers share: the way by which clients reach a solution's servers."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.settings import Settings


class AccessSettings(Settings):
    """Settings of any access layer; `kind` is narrowed by each subclass."""

    host: ClassVar[str] = ""
    """The name of the host that it runs on; empty: it has none of its own."""

    kind: str = Field(description="the kind of access layer")

    @property
    def watch_period(self) -> float:
        """Seconds between two of its looks at the nodes; 0: it does not look."""
        return 0.0

    @property
    def server_settings(self) -> Mapping[str, str | int | float | bool]:
        """What it needs of the nodes' servers, below the settings of the solution."""
        return {}

    @property
    def promotes(self) -> bool:
        """Whether it gives the role of a dead primary to another node by itself."""
        return False

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
        """Why it cannot serve a solution with these settings."""
        return []
