"""Fault `partition`: frames between hosts are dropped by the bridges; nobody is told, connections hang."""

from typing import Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.cuts import Pairs, all_reach, between, none_reaches
from fivenines.faults.peers import Peers, problems_of_peers, resolve_peers
from fivenines.faults.settings import NodeFaultSettings
from fivenines.units import Duration


class PartitionSettings(NodeFaultSettings):
    """Nothing passes between the target and its peers; both go on, and reach everybody else."""

    hits = "hosts"

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

    def problems_with(self, topology: Topology) -> list[str]:
        return [*super().problems_with(topology), *problems_of_peers(self.peers, topology)]

    def sites(self) -> list[str]:
        named = [site for word in self.peers for site in targets.sites_in(word)]
        return [*super().sites(), *named]


class Partition(Fault[PartitionSettings]):
    """Verified by frames that are sent one way and do not arrive, and that arrive after the end."""

    settings_type = PartitionSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        others = resolve_peers(self.settings.peers, target, context)
        pairs = between(target.hosts, others, self.settings.direction)
        if not pairs:
            raise FiveninesError(f"{target.role}: there is nobody to be cut off from")
        moment = now()
        context.world.cut(pairs)
        cut = none_reaches(context.world, pairs)
        way = {"both": "from", "in": "from what comes from", "out": "on the way to"}
        detail = (
            f"{', '.join(target.hosts)} cut off {way[self.settings.direction]} {', '.join(others)}"
        )
        detail += "" if cut else ", but frames arrive"
        return Injection(target.hosts, target.role, moment, cut, detail, target.servers, pairs)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        pairs: Pairs = injection.held
        moment = now()
        context.world.heal(pairs)
        back = all_reach(context.world, pairs)
        return Recovery(
            back, "frames arrive again" if back else "healed, but nothing arrives", moment
        )
