"""Fault `freeze`: send SIGSTOP to all server processes, SIGCONT later. Connections stay open but silent."""

from typing import Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.frozen import resumed, stopped
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.processes import look


class FreezeSettings(NodeFaultSettings):
    """Stop all server processes of a node with SIGSTOP, and resume them later."""

    fault: Literal["freeze"] = Field(description="stop a node's server processes with SIGSTOP")
    target: targets.NodeTarget = "primary"
    duration: Duration | None = Field(
        5.0, description="time until the processes resume (SIGCONT); null: they stay stopped"
    )


class Freeze(Fault[FreezeSettings]):
    """Verified by the state of all processes in /proc: T, and not T after the end."""

    settings_type = FreezeSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        seen = look.look_at(*(server.process for server in target.servers))
        moment = now()
        signalled = look.freeze(seen)
        verified, detail = stopped(signalled)
        return Injection(target.hosts, target.role, moment, verified, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        signalled = [
            process for server in injection.servers if server.process for process in server.process.thaw()
        ]
        return resumed(signalled, moment)
