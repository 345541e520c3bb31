"""Fault `arbiter`: the member that only votes dies; alone that takes nothing away but a vote."""

from typing import Literal

from pydantic import Field

from fivenines.cluster.capabilities import Voter
from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import ServiceFaultSettings
from fivenines.lab import look


class ArbiterFaultSettings(ServiceFaultSettings):
    """SIGKILL to the arbiter; servers and clients are not touched."""

    fault: Literal["arbiter"] = Field(description="the arbiter's process dies")


class ArbiterFault(Fault[ArbiterFaultSettings]):
    """Verified by the end of its process; after the restart by its running."""

    settings_type = ArbiterFaultSettings

    def inject(self, context: FaultContext) -> Injection:
        arbiter = _arbiter(context)
        seen = look.look_at(arbiter.process)
        moment = now()
        hit = look.kill(seen)
        gone = bool(hit) and arbiter.process is not None and arbiter.process.gone(hit)
        detail = "SIGKILL to the arbiter" + ("" if gone else ", but it still runs")
        return Injection((arbiter.name,), "arbiter", moment, gone, detail)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        arbiter = _arbiter(context)
        moment = now()
        arbiter.restart()
        return Recovery(context.settles(lambda: arbiter.alive), "the arbiter runs again", moment)


def _arbiter(context: FaultContext) -> Voter:
    arbiter = context.solution.arbiter
    if arbiter is None:
        raise FiveninesError("there is no arbiter")
    return arbiter
