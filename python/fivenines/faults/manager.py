"""Fault `manager`: the failover manager itself dies; while it is away nobody is promoted."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Mended, Strike, now
from fivenines.faults.settings import ServiceFaultSettings

if TYPE_CHECKING:
    from fivenines.faults.scene import Scene


class ManagerFaultSettings(ServiceFaultSettings):
    """SIGKILL to the failover manager; servers and clients are not touched."""

    fault: Literal["manager"] = Field(description="the failover manager dies")


class ManagerFault(Fault[ManagerFaultSettings]):
    """Verified by the end of its process; after the restart by its first words."""

    settings_type = ManagerFaultSettings

    def strike(self, scene: "Scene") -> Strike:
        manager = scene.manager
        if manager is None or not manager.settings.host:
            raise FiveninesError("there is no failover manager")
        moment = now()
        manager.kill()
        gone = not manager.alive
        detail = "SIGKILL to the manager" + ("" if gone else ", but it still runs")
        return Strike((manager.settings.host,), "manager", moment, gone, detail)

    def mend(self, scene: "Scene", strike: Strike) -> Mended:
        assert scene.manager is not None
        moment = now()
        scene.manager.start_again()
        return Mended(scene.manager.alive, "the manager watches again", moment)
