"""Fault `restart`: a clean shutdown and an immediate start, as for a new version or setting."""

from typing import Literal

from pydantic import Field

from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.faults.stop import shut_down
from fivenines.units import Duration


class RestartSettings(NodeFaultSettings):
    """The server of a node is stopped cleanly and started again, as it was, without waiting for anybody."""

    fault: Literal["restart"] = Field(description="clean shutdown, and start at once")
    target: targets.NodeTarget = "primary"
    duration: Duration = Field(0.0, description="how long it stays down, from the end of the shutdown on")


class Restart(Fault[RestartSettings]):
    """Verified by the end of the server's processes, then by its answer."""

    settings_type = RestartSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment = now()
        clean, detail = shut_down(target.servers, context)
        return Injection(target.hosts, target.role, moment, clean, detail, target.servers)
