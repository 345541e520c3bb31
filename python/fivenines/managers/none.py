"""No failover manager: when the primary dies, nobody promotes another node."""

from typing import Literal

from pydantic import Field

from fivenines.cluster.events import ManagerEvent
from fivenines.managers.base import Manager
from fivenines.managers.settings import ManagerSettings


class NoneSettings(ManagerSettings):
    """Nobody promotes; the service is unavailable until the primary is back."""

    failover_fact = "none: a person promotes another node, or restarts the primary"

    kind: Literal["none"] = Field("none", description="no failover manager")


class NoManager(Manager[NoneSettings]):
    """Watches nothing."""

    settings_type = NoneSettings
    promotes = False

    def start(self) -> None:
        pass

    def events(self) -> list[ManagerEvent]:
        return []

    def stop(self) -> None:
        pass
