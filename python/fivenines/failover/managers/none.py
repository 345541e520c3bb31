"""No failover manager: when the primary dies, no other node is promoted."""

from typing import Literal

from pydantic import Field

from fivenines.failover.managers.base import Manager
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.servers.cluster.events import ManagerEvent


class NoneSettings(ManagerSettings):
    """No promotion; the service is unavailable until the primary is started again."""

    failover_fact = "none: an administrator promotes another node, or restarts the primary"

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
