"""Fault `arbiter`: kill the voting-only member. On its own this removes one vote and nothing else."""

from typing import Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import ServiceFaultSettings
from fivenines.lab.processes import look
from fivenines.servers.cluster.capabilities import Voter


class ArbiterFaultSettings(ServiceFaultSettings):
    """Send SIGKILL to the arbiter. Servers and clients keep running."""

    fault: Literal["arbiter"] = Field(description="kill the arbiter's process")


class ArbiterFault(Fault[ArbiterFaultSettings]):
    """Verified when the arbiter's process has ended, and when it runs again after the restart."""

    settings_type = ArbiterFaultSettings

    def inject(self, context: FaultContext) -> Injection:
        arbiter = _arbiter(context)
        seen = look.look_at(arbiter.process)
        moment = now()
        killed = look.kill(seen)
        ended = bool(killed) and arbiter.process is not None and arbiter.process.gone(killed)
        detail = "SIGKILL to the arbiter" + ("" if ended else ", but it still runs")
        return Injection((arbiter.name,), "arbiter", moment, ended, detail)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        arbiter = _arbiter(context)
        moment = now()
        arbiter.restart()
        return Recovery(context.settles(lambda: arbiter.alive), "the arbiter runs again", moment)


def _arbiter(context: FaultContext) -> Voter:
    arbiter = context.solution.arbiter
    if arbiter is None:
        raise FiveninesError("fault arbiter: this deployment has no arbiter")
    return arbiter
