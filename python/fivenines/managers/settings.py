"""What all failover managers share: who promotes another node when the primary dies."""

from pydantic import Field

from fivenines.settings import Settings


class ManagerSettings(Settings):
    """Settings of any failover manager; `kind` is narrowed by each subclass."""

    kind: str = Field(description="the kind of failover manager")
