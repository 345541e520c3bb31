"""Fault `manager`: kill the failover manager. While it is down, no replica is promoted."""

from typing import Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import ServiceFaultSettings


class ManagerFaultSettings(ServiceFaultSettings):
    """Send SIGKILL to the failover manager. Servers and clients keep running."""

    fault: Literal["manager"] = Field(description="kill the failover manager")


class ManagerFault(Fault[ManagerFaultSettings]):
    """Verified when the manager's process has ended, and after the restart by its first log lines."""

    settings_type = ManagerFaultSettings

    def inject(self, context: FaultContext) -> Injection:
        manager = context.manager
        if manager is None or not manager.settings.host:
            raise FiveninesError("fault manager: this deployment has no failover manager")
        moment = now()
        manager.kill()
        ended = not manager.alive
        detail = "SIGKILL to the manager" + ("" if ended else ", but it still runs")
        return Injection((manager.settings.host,), "manager", moment, ended, detail)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        assert context.manager is not None
        moment = now()
        context.manager.restart()
        return Recovery(context.manager.alive, "the manager watches again", moment)
