"""Fault `manager`: the failover manager itself dies; while it is away nobody is promoted."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Mended, Strike, now
from fivenines.faults.settings import FaultSettings
from fivenines.units import Duration

if TYPE_CHECKING:
    from fivenines.faults.scene import Scene
    from fivenines.solutions.settings import SolutionSettings


class ManagerFaultSettings(FaultSettings):
    """SIGKILL to the failover manager; servers and clients are not touched."""

    fault: Literal["manager"] = Field(description="the failover manager dies")
    restart_after: Duration | None = Field(
        5.0, description="time until it is started again; null: it stays away"
    )

    def unfit(self, solution: "SolutionSettings") -> str:
        return targets.unfit("manager", solution)


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
