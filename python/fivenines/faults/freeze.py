"""Fault `freeze`: SIGSTOP of all server processes, SIGCONT later. Connections stay open, and silent."""

from typing import Literal

from pydantic import Field

from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab import look
from fivenines.lab.process import all_in_state
from fivenines.units import Duration


class FreezeSettings(NodeFaultSettings):
    """All server processes of a node are stopped where they are, and go on later."""

    fault: Literal["freeze"] = Field(description="SIGSTOP of all of a node's server processes")
    target: targets.NodeTarget = "primary"
    duration: Duration | None = Field(5.0, description="time until they go on (SIGCONT); null: they never do")


class Freeze(Fault[FreezeSettings]):
    """Verified by the state of all processes in /proc: T, and no longer T after the end."""

    settings_type = FreezeSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        seen = look.look_at(*(server.process for server in target.servers))
        moment = now()
        hit = look.freeze(seen)
        stopped = bool(hit) and all_in_state(hit, stopped=True)
        detail = f"SIGSTOP to {len(hit)} processes" + ("" if stopped else ", not all stopped")
        return Injection(target.hosts, target.role, moment, stopped, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        going = [one for server in injection.servers if server.process for one in server.process.thaw()]
        if not going:
            return Recovery(True, "nothing was left to go on: it was killed meanwhile", moment)
        awake = all_in_state(going, stopped=False)
        detail = f"SIGCONT to {len(going)} processes" + ("" if awake else ", not all go on")
        return Recovery(awake, detail, moment)
