"""Fault `partition`: frames between hosts are dropped by the bridges; nobody is told, connections hang."""

from typing import Annotated, Literal

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

_UNTIL_SENT = 5.0
"""Seconds within which whoever uses a port has sent something."""


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
    ports: list[Annotated[int, Field(ge=1, le=65535)]] = Field(
        default_factory=list,
        description="only TCP and UDP of these ports is dropped, as one of several networks that fails; "
        "empty: all frames are",
    )
    duration: Duration | None = Field(5.0, description="time until frames pass again; null: they never do")

    def problems_with(self, topology: Topology) -> list[str]:
        return [*super().problems_with(topology), *problems_of_peers(self.peers, topology)]

    def sites(self) -> list[str]:
        named = [site for word in self.peers for site in targets.sites_in(word)]
        return [*super().sites(), *named]


class Partition(Fault[PartitionSettings]):
    """Verified by frames that are sent one way and do not arrive, and that arrive after the end.

    Where it is of ports: by frames that were dropped.
    """

    settings_type = PartitionSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        others = resolve_peers(self.settings.peers, target, context)
        pairs = between(target.hosts, others, self.settings.direction)
        if not pairs:
            raise FiveninesError(f"{target.role}: there is nobody to be cut off from")
        moment = now()
        before = context.lab.frames_cut()
        context.lab.cut(pairs, self.settings.ports)
        cut = self._verified(context, pairs, before)
        way = {"both": "from", "in": "from what comes from", "out": "on the way to"}
        detail = f"{', '.join(target.hosts)} cut off {way[self.settings.direction]} {', '.join(others)}"
        if self.settings.ports:
            detail += f", port {', '.join(map(str, self.settings.ports))}"
            detail += "" if cut else ", but nothing was sent there"
        else:
            detail += "" if cut else ", but frames arrive"
        return Injection(target.hosts, target.role, moment, cut, detail, target.servers, pairs)

    def _verified(self, context: FaultContext, pairs: Pairs, before: int) -> bool:
        if not self.settings.ports:
            return none_reaches(context.lab, pairs)
        # a frame of ours would have to be one of that protocol: the frames of those who use it are counted
        return context.settles(lambda: context.lab.frames_cut() > before, _UNTIL_SENT)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        pairs: Pairs = injection.held
        moment = now()
        context.lab.heal(pairs, self.settings.ports)
        back = all_reach(context.lab, pairs)
        # whether those of a port do, whoever uses it will see
        said = "healed" if self.settings.ports else "frames arrive again"
        return Recovery(back, said if back else "healed, but nothing arrives", moment)
