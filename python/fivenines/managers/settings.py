"""What all failover managers share: who promotes another node when the primary dies."""

from typing import ClassVar

from pydantic import Field

from fivenines.settings import Settings


class ManagerSettings(Settings):
    """Settings of any failover manager; `kind` is narrowed by each subclass."""

    host: ClassVar[str] = ""
    """The name of the host that it runs on; empty: it has none of its own."""

    kind: str = Field(description="the kind of failover manager")
