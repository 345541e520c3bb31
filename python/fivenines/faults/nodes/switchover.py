"""Fault `switchover`: make a planned change of the primary with the solution's own commands."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.servers.base import Server
from fivenines.servers.cluster.switchover import ChosenSwitchover
from fivenines.servers.cluster.topology import Topology


class SwitchoverSettings(FaultSettings):
    """Demote the primary, promote the best replica once it has all changes, and repoint the others."""

    fault: Literal["switchover"] = Field(description="make a planned change of the primary")
    duration: Duration = Field(5.0, description="Galera: time until the drained node accepts writes again")

    to: str = Field("", description="the node to promote; empty: the solution or its manager chooses")

    def problems_with(self, topology: Topology) -> list[str]:
        if self.to and not topology.chooses_successor:
            return [f"to: {topology.solution} does not let users choose the new primary: remove `to`"]
        return list(topology.without_switchover)


class Switchover(Fault[SwitchoverSettings]):
    """Verified by the new primary; ends when the former primary is a member again."""

    settings_type = SwitchoverSettings

    def inject(self, context: FaultContext) -> Injection:
        moment = now()
        over = hand_over(context, self.settings.to)
        # After a switchover by a manager no step remains: the former primary is already a replica.
        lasts = 0.0 if context.manager is not None else None
        hosts = (over.former.name,)
        return Injection(hosts, "primary", moment, over.verified, over.detail, (over.former,), lasts=lasts)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        if context.solution.switchover is not None:
            context.solution.switchover.undrain(context.access.draining, injection.servers[0])
        return Recovery(True, "", moment)


@dataclass(frozen=True)
class HandedOver:
    """The former primary, whether another primary was seen in time, and details."""

    former: Server
    verified: bool
    detail: str


def hand_over(context: FaultContext, to: str = "") -> HandedOver:
    """Make another node the primary, with the access layer, the failover manager or the solution.

    `to` names the new primary, for solutions that support this choice.

    Raises:
        FiveninesError: the primary did not change; the message gives the reason.
    """
    solution = context.solution
    former = solution.roles.target("primary")
    if context.access.settings.switches_over:
        detail = f"by the access layer: {former.name} to {context.access.switch_over()}"
    elif context.manager is not None:
        detail = f"by the failover manager: {former.name} to {context.manager.switch_over()}"
    elif solution.switchover is None:
        raise FiveninesError(f"{solution.name}: it does not support a switchover")
    elif not to:
        detail = solution.switchover.hand_over(context.access.draining)
    elif isinstance(solution.switchover, ChosenSwitchover):
        detail = solution.switchover.hand_over_to(to)
    else:
        raise FiveninesError(f"{solution.name}: it does not support choosing the new primary")
    done = context.settles(lambda: _successor(context, former), solution.hand_over_patience)
    successor = solution.roles.certain_primary()
    if not done and (successor is None or successor is former):
        raise FiveninesError(f"switchover: {former.name} is still the primary ({detail})")
    return HandedOver(former, done, detail)


def _successor(context: FaultContext, former: Server) -> bool:
    primary = context.solution.roles.primary()
    return primary is not None and primary is not former
