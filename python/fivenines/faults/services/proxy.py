"""Fault `proxy`: kill the process of the access layer, which closes all connections through it."""

from typing import Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import ServiceFaultSettings
from fivenines.lab.processes import look


class ProxySettings(ServiceFaultSettings):
    """Send SIGKILL to the proxy. The servers behind it keep running but clients cannot reach them."""

    fault: Literal["proxy"] = Field(description="kill the access layer's process")


class Proxy(Fault[ProxySettings]):
    """Verified when the processes have ended, and when the restarted proxy finds a writable node."""

    settings_type = ProxySettings

    def inject(self, context: FaultContext) -> Injection:
        process = context.access.process
        if process is None:
            raise FiveninesError("fault proxy: the access layer runs no process")
        seen = look.look_at(process)
        moment = now()
        killed = look.kill(seen)
        ended = bool(killed) and process.gone(killed)
        detail = f"SIGKILL to {len(killed)} processes" + ("" if ended else ", not all have ended")
        return Injection((context.access.settings.host,), "proxy", moment, ended, detail)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        context.access.restart()
        return Recovery(True, "the proxy finds a writable node", moment)
