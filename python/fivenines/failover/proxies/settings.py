"""Settings that all access layers share."""

from collections.abc import Mapping

from pydantic import Field

from fivenines.servers.cluster.part_settings import PartSettings


class AccessSettings(PartSettings):
    """Settings of any access layer; subclasses narrow `kind`."""

    kind: str = Field(description="kind of access layer")

    @property
    def server_settings(self) -> Mapping[str, str | int | float | bool]:
        """Return the server settings that it needs; the settings of the solution take precedence."""
        return {}

    @property
    def promotes(self) -> bool:
        """Return whether it promotes another node by itself when the primary dies."""
        return False
