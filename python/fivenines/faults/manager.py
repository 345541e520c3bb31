"""Fault `manager`: the failover manager itself dies; while it is away nobody is promoted."""

from typing import Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import ServiceFaultSettings


class ManagerFaultSettings(ServiceFaultSettings):
    """SIGKILL to the failover manager; servers and clients are not touched."""

    fault: Literal["manager"] = Field(description="the failover manager dies")


class ManagerFault(Fault[ManagerFaultSettings]):
    """Verified by the end of its process; after the restart by its first words."""

    settings_type = ManagerFaultSettings

    def inject(self, context: FaultContext) -> Injection:
        manager = context.manager
        if manager is None or not manager.settings.host:
            raise FiveninesError("there is no failover manager")
        moment = now()
        manager.kill()
        gone = not manager.alive
        detail = "SIGKILL to the manager" + ("" if gone else ", but it still runs")
        return Injection((manager.settings.host,), "manager", moment, gone, detail)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        assert context.manager is not None
        moment = now()
        context.manager.restart()
        return Recovery(context.manager.alive, "the manager watches again", moment)
