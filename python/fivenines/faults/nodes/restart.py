"""Fault `restart`: shut a server down cleanly and start it at once, as for a new version or setting."""

from typing import Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, now
from fivenines.faults.context import FaultContext
from fivenines.faults.nodes.stop import shut_down
from fivenines.faults.settings import NodeFaultSettings


class RestartSettings(NodeFaultSettings):
    """Stop the server of a node cleanly and start it in its former role, without waiting for a failover."""

    fault: Literal["restart"] = Field(description="shut a server down cleanly and start it at once")
    target: targets.NodeTarget = "primary"
    duration: Duration = Field(0.0, description="time that the server stays down after its shutdown")


class Restart(Fault[RestartSettings]):
    """Verified when the server's processes have ended, and when the server answers again."""

    settings_type = RestartSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment = now()
        clean, detail = shut_down(target.servers, context)
        return Injection(target.hosts, target.role, moment, clean, detail, target.servers)
