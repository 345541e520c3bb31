"""Fault `partition`: drop frames between hosts in the bridges. Connections hang, no host gets an error."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.network.cuts import Pairs, all_reach, between, none_reaches
from fivenines.faults.network.peers import Peers, problems_of_peers, resolve_peers
from fivenines.faults.settings import NodeFaultSettings
from fivenines.servers.cluster.topology import Topology

# Seconds within which a user of the port must send a frame.
_UNTIL_SENT = 5.0


class PartitionSettings(NodeFaultSettings):
    """Drop all frames between the target and its peers. Both keep running and reach all other hosts."""

    hits = "hosts"

    fault: Literal["partition"] = Field(description="drop all frames between two groups of hosts")
    target: targets.HostTarget = "primary"
    peers: Peers = Field(
        default_factory=lambda: ["all"],
        description="hosts that the target is cut off from; nodes includes the manager, clients includes "
        "the proxy",
    )
    direction: Literal["both", "in", "out"] = Field(
        "both", description="which frames are dropped, from the target's point of view"
    )
    ports: list[Annotated[int, Field(ge=1, le=65535)]] = Field(
        default_factory=list,
        description="drop only TCP and UDP traffic of these ports, as if one of several networks fails; "
        "empty: drop all frames",
    )
    duration: Duration | None = Field(5.0, description="time until frames pass again; null: never")

    def problems_with(self, topology: Topology) -> list[str]:
        return [*super().problems_with(topology), *problems_of_peers(self.peers, topology)]

    def sites(self) -> list[str]:
        named = [site for word in self.peers for site in targets.sites_in(word)]
        return [*super().sites(), *named]


class Partition(Fault[PartitionSettings]):
    """Verified by test frames that do not arrive, and that arrive after the end.

    A partition of ports is verified by the count of dropped frames.
    """

    settings_type = PartitionSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        others = resolve_peers(self.settings.peers, target, context)
        pairs = between(target.hosts, others, self.settings.direction)
        if not pairs:
            raise FiveninesError(f"partition: {target.role} has no peer to be cut off from: change `peers`")
        moment = now()
        before = context.lab.network.frames_cut()
        context.lab.network.cut(pairs, self.settings.ports)
        cut = self._verified(context, pairs, before)
        way = {"both": "from", "in": "from frames of", "out": "on the way to"}
        detail = f"{', '.join(target.hosts)} cut off {way[self.settings.direction]} {', '.join(others)}"
        if self.settings.ports:
            detail += f", port {', '.join(map(str, self.settings.ports))}"
            detail += "" if cut else ", but no frame was sent to it"
        else:
            detail += "" if cut else ", but frames arrive"
        return Injection(target.hosts, target.role, moment, cut, detail, target.servers, pairs)

    def _verified(self, context: FaultContext, pairs: Pairs, before: int) -> bool:
        if not self.settings.ports:
            return none_reaches(context.lab, pairs)
        # A test frame would have to speak the protocol of the port, so the users' dropped frames are counted.
        return context.settles(lambda: context.lab.network.frames_cut() > before, _UNTIL_SENT)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        pairs: Pairs = injection.state
        moment = now()
        context.lab.network.heal(pairs, self.settings.ports)
        healed = all_reach(context.lab, pairs)
        # Frames of single ports are not tested: only their users can send them.
        detail = "healed" if self.settings.ports else "frames arrive again"
        return Recovery(healed, detail if healed else "healed, but no frame arrives", moment)
