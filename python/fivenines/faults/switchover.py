"""Fault `switchover`: the primary's role is handed over as planned, by the solution's own means."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.servers.base import Server
from fivenines.units import Duration


class SwitchoverSettings(FaultSettings):
    """The primary is demoted, the best replica promoted when it has everything, the rest repointed."""

    fault: Literal["switchover"] = Field(description="planned change of the primary")
    duration: Duration = Field(
        5.0, description="Galera: time until the node that was drained gets writes again"
    )

    to: str = Field("", description="the node that shall be the primary then; empty: whoever does it chooses")

    def problems_with(self, topology: Topology) -> list[str]:
        if self.to and not topology.chooses_successor:
            return [f"to: {topology.solution} cannot be told who shall be the primary: leave it out"]
        return list(topology.without_switchover)


class Switchover(Fault[SwitchoverSettings]):
    """Verified by who is primary afterwards; ended when the former primary is a member again."""

    settings_type = SwitchoverSettings

    def inject(self, context: FaultContext) -> Injection:
        moment = now()
        over = hand_over(context, self.settings.to)
        # where a manager did it there is nothing to take back: the former primary is a replica now
        lasts = 0.0 if context.manager is not None else None
        hosts = (over.former.name,)
        return Injection(hosts, "primary", moment, over.seen, over.told, (over.former,), lasts=lasts)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        context.solution.undrain(context.access.draining, injection.servers[0])
        return Recovery(True, "", moment)


@dataclass(frozen=True)
class HandedOver:
    """The primary that was, whether another one was seen in time, and in words how."""

    former: Server
    seen: bool
    told: str


def hand_over(context: FaultContext, to: str = "") -> HandedOver:
    """Let another node be the primary, by whoever promotes or by the solution's own means.

    `to` names it, where the solution can be told.

    Raises:
        FiveninesError: it still is the same one; says why.
    """
    solution = context.solution
    former = solution.target("primary")
    if context.access.settings.switches_over:
        told = f"by the access layer: {former.name} to {context.access.switch_over()}"
    elif context.manager is not None:
        told = f"by the failover manager: {former.name} to {context.manager.switch_over()}"
    elif to:
        told = solution.hand_over_to(to)
    else:
        told = solution.hand_over(context.access.draining)
    done = context.settles(lambda: _successor(context, former), solution.hand_over_patience)
    successor = solution.primary()
    if not done and (successor is None or successor is former):
        raise FiveninesError(f"{former.name} is still the primary ({told})")
    return HandedOver(former, done, told)


def _successor(context: FaultContext, former: Server) -> bool:
    primary = context.solution.primary()
    return primary is not None and primary is not former
