"""Fault `partition`: frames between hosts are dropped by the bridges; nobody is told, connections hang."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Mended, Strike, now
from fivenines.faults.cuts import Pairs, all_reach, between, none_reaches
from fivenines.faults.peers import Peers, resolve_peers, unfit_peers
from fivenines.faults.settings import NodeFaultSettings
from fivenines.units import Duration

if TYPE_CHECKING:
    from fivenines.faults.scene import Scene
    from fivenines.solutions.settings import SolutionSettings


class PartitionSettings(NodeFaultSettings):
    """Nothing passes between the target and its peers; both go on, and reach everybody else."""

    fault: Literal["partition"] = Field(description="no frames between two groups of hosts")
    target: targets.HostTarget = "primary"
    peers: Peers = Field(
        default_factory=lambda: ["all"],
        description="whom the target is cut off from; nodes means the manager too, clients the proxy",
    )
    direction: Literal["both", "in", "out"] = Field(
        "both", description="which frames are dropped, as the target sees it"
    )
    duration: Duration | None = Field(
        5.0, description="time until frames pass again; null: they never do"
    )

    def unfit(self, solution: "SolutionSettings") -> str:
        return super().unfit(solution) or unfit_peers(self.peers, solution)

    def sites(self) -> list[str]:
        named = [site for word in self.peers for site in targets.sites_in(word)]
        return [*super().sites(), *named]


class Partition(Fault[PartitionSettings]):
    """Verified by frames that are sent one way and do not arrive, and that arrive after the end."""

    settings_type = PartitionSettings

    def strike(self, scene: "Scene") -> Strike:
        target = targets.resolve(self.settings.target, scene)
        others = resolve_peers(self.settings.peers, target, scene)
        pairs = between(target.hosts, others, self.settings.direction)
        if not pairs:
            raise FiveninesError(f"{target.role}: there is nobody to be cut off from")
        moment = now()
        scene.world.cut(pairs)
        cut = none_reaches(scene.world, pairs)
        way = {"both": "from", "in": "from what comes from", "out": "on the way to"}
        detail = (
            f"{', '.join(target.hosts)} cut off {way[self.settings.direction]} {', '.join(others)}"
        )
        detail += "" if cut else ", but frames arrive"
        return Strike(target.hosts, target.role, moment, cut, detail, target.servers, pairs)

    def mend(self, scene: "Scene", strike: Strike) -> Mended:
        pairs: Pairs = strike.held
        moment = now()
        scene.world.heal(pairs)
        back = all_reach(scene.world, pairs)
        return Mended(
            back, "frames arrive again" if back else "healed, but nothing arrives", moment
        )
