"""Fault `switchover`: the primary's role is handed over as planned, by the solution's own means."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Mended, Strike, now
from fivenines.faults.settings import FaultSettings
from fivenines.units import Duration

if TYPE_CHECKING:
    from fivenines.faults.scene import Scene
    from fivenines.servers.base import Server
    from fivenines.solutions.settings import SolutionSettings


class SwitchoverSettings(FaultSettings):
    """The primary is demoted, the best replica promoted when it has everything, the rest repointed."""

    fault: Literal["switchover"] = Field(description="planned change of the primary")
    duration: Duration = Field(
        5.0, description="Galera: time until the node that was drained gets writes again"
    )

    def unfit(self, solution: "SolutionSettings") -> str:
        return solution.switchover_problem()


class Switchover(Fault[SwitchoverSettings]):
    """Verified by who is primary afterwards; ended when the former primary is a member again."""

    settings_type = SwitchoverSettings

    def strike(self, scene: "Scene") -> Strike:
        solution = scene.solution
        former = solution.target("primary")
        moment = now()
        lasts = None
        if scene.manager is not None:
            # there is nothing to take back: the former primary is a replica now
            lasts = 0.0
            told = f"by the failover manager: {former.name} to {scene.manager.switch_over()}"
        else:
            told = solution.hand_over(scene.access)
        done = scene.settles(lambda: _successor(scene, former), 5.0)
        successor = solution.primary()
        if not done and (successor is None or successor is former):
            raise FiveninesError(f"{former.name} is still the primary ({told})")
        hosts = (former.name,)
        return Strike(hosts, "primary", moment, done, told, (former,), lasts=lasts)

    def mend(self, scene: "Scene", strike: Strike) -> Mended:
        moment = now()
        scene.solution.take_back(scene.access, strike.servers[0])
        return Mended(True, "", moment)


def _successor(scene: "Scene", former: "Server") -> bool:
    primary = scene.solution.primary()
    return primary is not None and primary is not former
