"""What all access layers share: the way by which clients reach a solution's servers."""

from collections.abc import Mapping

from pydantic import Field

from fivenines.cluster.part_settings import PartSettings


class AccessSettings(PartSettings):
    """Settings of any access layer; `kind` is narrowed by each subclass."""

    kind: str = Field(description="the kind of access layer")

    @property
    def server_settings(self) -> Mapping[str, str | int | float | bool]:
        """What it needs of the nodes' servers, below the settings of the solution."""
        return {}

    @property
    def promotes(self) -> bool:
        """Whether it gives the role of a dead primary to another node by itself."""
        return False
