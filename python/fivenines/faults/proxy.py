"""Fault `proxy`: the process of the access layer dies, and with it all connections through it."""

from typing import Literal

from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import ServiceFaultSettings
from fivenines.lab import look


class ProxySettings(ServiceFaultSettings):
    """SIGKILL to the proxy; the servers behind it are not touched, and cannot be reached."""

    fault: Literal["proxy"] = Field(description="the access layer's process dies")


class Proxy(Fault[ProxySettings]):
    """Verified by the ends of its processes; after the restart by its finding a writable node."""

    settings_type = ProxySettings

    def inject(self, context: FaultContext) -> Injection:
        process = context.access.process
        if process is None:
            raise FiveninesError("the access layer has no process of its own")
        seen = look.look_at(process)
        moment = now()
        hit = look.kill(seen)
        gone = bool(hit) and process.gone(hit)
        detail = f"SIGKILL to {len(hit)} processes" + ("" if gone else ", not all have ended")
        return Injection((context.access.settings.host,), "proxy", moment, gone, detail)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        context.access.restart()
        return Recovery(True, "the proxy finds a writable node", moment)
