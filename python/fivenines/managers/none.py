"""No failover manager: when the primary dies, nobody promotes another node."""

from typing import Literal

from pydantic import Field

from fivenines.managers.settings import ManagerSettings


class NoneSettings(ManagerSettings):
    """Nobody promotes; the service is away until the primary is back."""

    kind: Literal["none"] = Field("none", description="no failover manager")
